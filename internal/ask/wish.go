package ask

import (
	"fmt"
	"strconv"
	"strings"
)

// wish is a question with a layout, as its text.
type wish struct {
	Question
	layout string
}

// with makes the change that an offer names: pairs of a layout to set, "without"
// or "drop" keys, flags.
func (w wish) with(offer string) wish {
	verb, text, _ := strings.Cut(offer, " ")
	text, without, _ := strings.Cut(text, " without ")
	if verb == "drop" {
		text, without = "", text
		if keys, use, both := strings.Cut(without, " and use "); both {
			text, without = use, keys
		}
	}
	for _, key := range strings.Split(without, " and ") {
		w.layout = setPair(w.layout, key, "")
	}
	words := strings.Fields(text)
	for i, word := range words {
		switch {
		case strings.HasPrefix(word, "--") && i+1 < len(words):
			w.flag(word, words[i+1])
		case strings.Contains(word, "="):
			for _, pair := range strings.Split(word, ",") {
				key, value, _ := strings.Cut(pair, "=")
				w.layout = setPair(w.layout, key, value)
			}
		}
	}
	return w
}

func (w *wish) flag(name, value string) {
	switch name {
	case "--gpus":
		w.GPUs, _ = strconv.Atoi(value)
	case "--global-batch":
		w.GlobalBatch, _ = strconv.Atoi(value)
	case "--framework":
		w.Framework = value
	}
}

// plain is a layout of defaults alone, whose text may not be empty.
const plain = "tp=1"

// setPair gives a key of a layout's text a value, "" to drop it.
func setPair(layout, key, value string) string {
	var out []string
	for _, pair := range strings.Split(layout, ",") {
		k, _, _ := strings.Cut(strings.TrimSpace(pair), "=")
		switch {
		case k != key:
			out = append(out, pair)
		case value != "":
			out = append(out, key+"="+value)
			value = ""
		}
	}
	if value != "" {
		out = append(out, key+"="+value)
	}
	if len(out) == 0 {
		return plain
	}
	return strings.Join(out, ",")
}

// offer words all that differs in to as one offer, such as
// "use zero=1,pp=2 with --gpus 64 without shard".
func (w wish) offer(to wish) string {
	var set, dropped []string
	for _, pair := range strings.Split(to.layout, ",") {
		if !strings.Contains(","+w.layout+",", ","+pair+",") {
			set = append(set, pair)
		}
	}
	for _, pair := range strings.Split(w.layout, ",") {
		if key, _, _ := strings.Cut(strings.TrimSpace(pair), "="); !Names(to.layout, key) {
			dropped = append(dropped, key)
		}
	}
	return phrased(strings.Join(set, ","), strings.Join(dropped, " and "), w.flags(to))
}

func (w wish) flags(to wish) string {
	var flags []string
	add := func(differs bool, name string, value any) {
		if differs {
			flags = append(flags, fmt.Sprint("--", name, " ", value))
		}
	}
	add(to.GPUs != w.GPUs, "gpus", to.GPUs)
	add(to.GlobalBatch != w.GlobalBatch, "global-batch", to.GlobalBatch)
	add(to.Framework != w.Framework, "framework", to.Framework)
	return strings.Join(flags, " ")
}

func phrased(set, dropped, flags string) string {
	switch {
	case set == "" && flags == "":
		return "drop " + dropped
	case set == "":
		set, flags = flags, ""
	}
	if flags != "" {
		set += " with " + flags
	}
	if dropped != "" {
		set += " without " + dropped
	}
	return "use " + set
}
