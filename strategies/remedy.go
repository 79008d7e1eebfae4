package strategies

import (
	"fmt"
	"slices"
	"strings"
)

// offering returns a violation with its remedy in words of the offers: changes
// of which each alone is to mend it, as "use tp=4", "drop shard" or
// "use --gpus 64". What else helps stands last, as it follows on them: " or …".
func offering(rule Rule, given, reason string, offers ...string) *Violation {
	v := &Violation{Rule: rule, Given: given, Reason: reason}
	if n := len(offers) - 1; n >= 0 && strings.ContainsAny(offers[n][:1], " ,;") {
		offers, v.Hint = offers[:n], offers[n]
	}
	v.Offers, v.Remedy = offers, Phrase(offers)+v.Hint
	return v
}

// uses offers values of a key, or of a flag with the space behind it: "tp=", "--gpus ".
func uses(key string, values ...int) (offers []string) {
	for _, v := range values {
		if v > 0 || key == "zero=" {
			offers = append(offers, fmt.Sprintf("use %s%d", key, v))
		}
	}
	return offers
}

// words is uses for values in words.
func words(key string, values []string) (offers []string) {
	for _, v := range values {
		offers = append(offers, "use "+key+v)
	}
	return offers
}

// offerEven offers smaller degrees that split the sequence into 2·cp·tp.
func (p *Problem) offerEven(l *Layout) []string {
	even := func(tp, cp int) bool { return p.Work.Seq%(2*cp*tp) == 0 }
	tp := below(l.TP, func(n int) bool { return even(n, l.CP) && TPFits(p.Model, n) })
	return append(uses("tp=", tp), uses("cp=", below(l.CP, func(n int) bool { return even(l.TP, n) }))...)
}

// Phrase joins offers, what they share said once: "add first=7,last=7 or use
// pp=2, 4 or 8 or drop vpp".
func Phrase(offers []string) string {
	var groups []string
	verb := ""
	for i := 0; i < len(offers); {
		this, text, _ := strings.Cut(offers[i], " ")
		key, values, n := alike(text, this, offers[i:])
		if n > 1 {
			text = key + strings.Join(values[:n-1], ", ") + " or " + values[n-1]
		}
		if this != verb || this != "use" {
			text = this + " " + text
		}
		groups, verb, i = append(groups, text), this, i+n
	}
	return strings.Join(groups, " or ")
}

// alike returns of the first offers those n that give other values to one key.
func alike(text, verb string, offers []string) (key string, values []string, n int) {
	at := strings.LastIndexAny(text, "= ") + 1
	key = text[:at]
	if verb != "use" || at == 0 || strings.Count(key, "=")+strings.Count(key, " ") != 1 {
		return "", nil, 1
	}
	for _, o := range offers {
		value, same := strings.CutPrefix(o, verb+" "+key)
		if !same || value == "" || strings.ContainsAny(value, "=, ") {
			break
		}
		values = append(values, value)
	}
	return key, values, max(1, len(values))
}

// below returns the largest number under n that fits, 0 for none.
func below(n int, fits func(int) bool) int {
	for n--; n > 0; n-- {
		if fits(n) {
			return n
		}
	}
	return 0
}

// nearest2 returns the numbers next below and above n that fit, 0 for none.
func nearest2(n int, fits func(int) bool) []int {
	for v := n + 1; v <= 4*n+16; v++ {
		if fits(v) {
			return []int{below(n, fits), v}
		}
	}
	return []int{below(n, fits)}
}

// splitting returns the ZeRO stages of a framework that split something; of none,
// those that there are.
func (f *Profile) splitting() []int {
	if f == nil {
		return []int{1, 2, 3}
	}
	return f.Can.splitting()
}

func (can *Capabilities) splitting() []int {
	return slices.DeleteFunc(slices.Clone(can.Stages), func(z int) bool { return z == 0 })
}

// offerHPZ offers secondary shards of a node, the fastest links, or of part of one.
func (p *Problem) offerHPZ(l *Layout) []string {
	shard := l.Shard
	if l.Zero == 0 {
		shard = l.DataRanks()
	}
	n := below(p.Cluster.PerNode+1, func(n int) bool { return n > 1 && shard%n == 0 })
	if n == 0 {
		return []string{"drop hpz"}
	}
	return []string{fmt.Sprintf("use zero=3,hpz=%d", n), "drop hpz"}
}
