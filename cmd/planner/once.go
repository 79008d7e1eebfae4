package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var (
	errTwice = errors.New("given twice: want it once")
	errEmpty = errors.New("empty: want a value, or leave the flag out")
)

// once is the value of a flag that may be typed one time, and not empty: of two
// values the last would win silently, and an empty one would count as none.
// Whole numbers are decimal.
type once struct {
	pflag.Value
	given bool
}

// Set implements pflag.Value.
func (o *once) Set(text string) error {
	switch {
	case text == "":
		return errEmpty
	case o.given:
		return errTwice
	}
	o.given = true
	if _, own := o.Value.(*count); !own {
		var err error
		if text, err = decimal(o.Type(), text); err != nil {
			return err
		}
	}
	return o.Value.Set(text)
}

// giveOnce makes every flag of c and its commands one that is given once, but
// for those that gather a list.
func giveOnce(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if _, list := f.Value.(pflag.SliceValue); !list {
			f.Value = &once{Value: f.Value}
		}
	})
	for _, sub := range c.Commands() {
		giveOnce(sub)
	}
}
