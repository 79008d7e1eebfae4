package ask

import (
	"slices"
	"strings"

	"planner/internal/catalog"
	"planner/strategies"
)

// RefuseOffload refuses an --offload that a search could only drop in silence:
// where none of the frameworks asked has a model of it, or --zero leaves no
// state to move. Values that no framework knows are refused by Constraints.Space.
func (a *Answer) RefuseOffload() error {
	c := &a.Limits
	moves := []string{strategies.OffloadOptimizer.String(), strategies.OffloadAll.String()}
	asked := slices.DeleteFunc(strings.Split(c.Offload, ","), func(v string) bool { return !slices.Contains(moves, v) })
	if len(asked) == 0 {
		return nil
	}
	if !slices.ContainsFunc(a.Problem.Profiles, func(p *strategies.Profile) bool { return p.Can.Offload }) {
		return catalog.Errorf("--offload %s: %s: no offload is modelled: use --framework deepspeed", asked[0], strings.Join(a.FrameworkNames(), ", "))
	}
	stages, err := numbers("--zero", c.Zero, 0)
	if err != nil || stages == nil || slices.Max(stages) > 0 {
		return err
	}
	return catalog.Errorf("--offload %s: ZeRO state is what moves, and --zero %s splits none: use --zero 1,2,3", asked[0], c.Zero)
}
