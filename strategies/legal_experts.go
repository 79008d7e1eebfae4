package strategies

import "fmt"

func (p *Problem) checkExperts(l *Layout, _ *Profile) *Violation {
	if l.EP == 1 && l.ETP == l.TP {
		return nil
	}
	if !moe(p.Model) {
		drop := "drop ep and etp"
		if l.EP == 1 {
			drop = "drop etp"
		} else if l.ETP == l.TP {
			drop = "drop ep"
		}
		return offering(RuleExperts, fmt.Sprintf("ep=%d,etp=%d", l.EP, l.ETP), p.Model.Name+" has no experts", drop)
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
			return offering(RuleExperts, pair("ep", l.EP), fmt.Sprintf("%d experts are not divisible by %d", f.Experts, l.EP),
				uses("ep=", nearest2(l.EP, func(n int) bool { return f.Experts%n == 0 && ranks%(n*l.ETP) == 0 })...)...)
		}
		if f.ExpertWidth%l.ETP != 0 {
			return offering(RuleExperts, pair("etp", l.ETP), fmt.Sprintf("an expert of width %d is not divisible by %d", f.ExpertWidth, l.ETP), "use etp=1")
		}
	}
	if ranks%(l.EP*l.ETP) != 0 {
		return offering(RuleExperts, fmt.Sprintf("ep=%d,etp=%d", l.EP, l.ETP),
			fmt.Sprintf("experts fold over tp·cp·dp = %d ranks, which ep·etp = %d does not divide", ranks, l.EP*l.ETP), p.offerFold(l, ranks)...)
	}
	return nil
}

// offerFold offers degrees of experts that fold over the ranks.
func (p *Problem) offerFold(l *Layout, ranks int) (offers []string) {
	if l.ETP > 1 && ranks%l.EP == 0 {
		offers = append(offers, "use etp=1")
	}
	experts := p.Model.Experts()
	return append(offers, uses("ep=", nearest2(l.EP, func(n int) bool { return experts%n == 0 && ranks%(n*l.ETP) == 0 })...)...)
}
