package strategies

import (
	"fmt"
	"strconv"
)

func (p *Problem) checkExperts(l *Layout, _ *Profile) *Violation {
	if l.EP == 1 && l.ETP == l.TP {
		return nil
	}
	if !moe(p.Model) {
		return &Violation{RuleExperts, fmt.Sprintf("ep=%d,etp=%d", l.EP, l.ETP), p.Model.Name + " has no experts", "drop the expert degrees"}
	}
	return p.checkFold(l)
}

func (p *Problem) checkFold(l *Layout) *Violation {
	ranks := l.TP * l.CP * l.DP
	for i := range p.Model.Kinds {
		f := &p.Model.Kinds[i].FFN
		if f.Experts == 0 {
			continue
		}
		if f.Experts%l.EP != 0 {
			return &Violation{RuleExperts, "ep=" + strconv.Itoa(l.EP), fmt.Sprintf("%d experts are not divisible by %d", f.Experts, l.EP),
				"use a divisor of the experts"}
		}
		if f.ExpertWidth%l.ETP != 0 {
			return &Violation{RuleExperts, "etp=" + strconv.Itoa(l.ETP), fmt.Sprintf("an expert of width %d is not divisible by %d", f.ExpertWidth, l.ETP), "use etp=1"}
		}
	}
	if ranks%(l.EP*l.ETP) != 0 {
		return &Violation{RuleExperts, fmt.Sprintf("ep=%d,etp=%d", l.EP, l.ETP),
			fmt.Sprintf("experts fold over tp·cp·dp = %d ranks, which ep·etp = %d does not divide", ranks, l.EP*l.ETP),
			"set etp=1, or an ep that divides " + strconv.Itoa(ranks/gcd(ranks, l.ETP))}
	}
	return nil
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
