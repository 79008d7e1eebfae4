package show

import (
	"fmt"
	"io"
	"math"

	"planner/strategies"
)

// causalText adds the utilisation without the masked half of attention where
// the two are different figures.
func causalText(r strategies.Rates) string {
	if !longAttention(r) {
		return ""
	}
	return fmt.Sprintf(" (causal %s %%)", Percent(r.MFUCausal))
}

// utilisation writes MFU with attention counted whole, as papers do (Chowdhery
// et al. 2022, appendix B), and without the half that the causal mask drops,
// which is what kernels need to compute: the ideal step is that one's. Of a
// window shorter than the sequence the mask drops less than half.
func utilisation(w io.Writer, p *strategies.Problem, x *strategies.Explanation) {
	r := p.Rates(&x.Estimate)
	peak := float64(p.Cluster.GPU.PeakOf(p.Work.Precision))
	capacity := float64(x.Step) * peak * float64(p.Cluster.GPUs)
	all, causal := r.MFU*float64(x.Step), r.MFUCausal*float64(x.Step) // seconds at peak
	fmt.Fprintf(w, "  MFU        = FLOPs per step / (step × peak × GPUs)\n")
	fmt.Fprintf(w, "             = %.4e / (%.3f s × %.1fe12 × %d) = %s %%\n", r.MFU*capacity, x.Step, peak/1e12, p.Cluster.GPUs, Percent(r.MFU))
	ideal := fmt.Sprintf("The ideal step is %.3f s", all)
	if causal < 0.995*all {
		fmt.Fprintf(w, "  causal MFU = %s\n", causalMeaning(p))
		fmt.Fprintf(w, "             = %.4e / (%.3f s × %.1fe12 × %d) = %s %%\n", r.MFUCausal*capacity, x.Step, peak/1e12, p.Cluster.GPUs, Percent(r.MFUCausal))
		ideal = fmt.Sprintf("The ideal step is %.3f s, or %.3f s with attention whole", causal, all)
	}
	fmt.Fprintf(w, "             %s; compute takes %.3f s more by kernels below peak and recomputation, everything else %.3f s.\n",
		ideal, math.Max(0, float64(x.Compute)-causal), float64(x.Step-x.Compute))
}

// causalMeaning says what the causal utilisation leaves out.
func causalMeaning(p *strategies.Problem) string {
	for i := range p.Model.Kinds {
		if n := p.Model.Kinds[i].Mixer.Window; n > 0 && n < p.Work.Seq {
			return fmt.Sprintf("the same with half of attention's part by convention; of windows of %s the mask drops less", Count(n))
		}
	}
	return "the same without the half of attention that the mask drops"
}
