package main

import (
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"planner/internal/catalog"
	"planner/internal/sweep"
)

// request reads the flags.
func (o *sweepFlags) request(c *cobra.Command) (*sweep.Request, error) {
	if err := applySettings(c.Flags(), settable); err != nil {
		return nil, err
	}
	if err := o.given(c.Flags()); err != nil {
		return nil, err
	}
	r := &sweep.Request{Scale: sweep.Scaling(o.scale)}
	if r.Scale != sweep.Strong && r.Scale != sweep.Weak {
		return nil, catalog.Errorf("--scale %q: no such scaling: want strong or weak", o.scale)
	}
	if o.plot != "" {
		if err := sweep.CheckPicture(o.plot); err != nil {
			return nil, err
		}
	}
	if err := o.economy(r); err != nil {
		return nil, err
	}
	return r, o.axes(r)
}

// axes sorts the flags into axes and single values.
func (o *sweepFlags) axes(r *sweep.Request) error {
	r.Base = o.Question
	var single []sweep.Axis
	for _, name := range sweep.Names() {
		text := *o.values[name]
		if text == "" {
			continue
		}
		a, err := sweep.ParseAxis(name, text)
		switch {
		case err != nil:
			return err
		case len(a.Values) > 1:
			r.Axes = append(r.Axes, a)
		default:
			single = append(single, a)
		}
	}
	switch len(r.Axes) {
	case 0:
		return catalog.Errorf("sweep: nothing to sweep: give one or two flags a list or a range, e.g. --gpus 64..16384")
	case 1, 2:
	default:
		var names []string
		for _, a := range r.Axes {
			names = append(names, "--"+a.Name)
		}
		return catalog.Errorf("%s: %d flags are swept: want one or two", strings.Join(names, ", "), len(names))
	}
	return r.Fix(single)
}

func (o *sweepFlags) economy(r *sweep.Request) (err error) {
	if o.tokens != "" {
		if r.Tokens, err = parseTokens(o.tokens); err != nil {
			return err
		}
	}
	if o.price != "" {
		r.Price, err = strconv.ParseFloat(o.price, 64)
		if err != nil || !(r.Price > 0) || math.IsInf(r.Price, 1) {
			return catalog.Errorf("--price %q: not a price: want US dollars of a GPU hour above 0, e.g. 2.50", o.price)
		}
	}
	return nil
}

// parseTokens reads 15T, 300B, 2e12.
func parseTokens(text string) (float64, error) {
	digits, scale := text, 1.0
	for suffix, k := range map[string]float64{"k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12} {
		if s, ok := strings.CutSuffix(strings.ToLower(text), suffix); ok {
			digits, scale = s, k
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil || !(v > 0) || v*scale > 1e18 {
		return 0, catalog.Errorf("--tokens %q: not a number of tokens: want e.g. 15T, 300B or 2e12", text)
	}
	return v * scale, nil
}
