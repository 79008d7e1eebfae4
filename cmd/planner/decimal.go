package main

import (
	"strconv"
	"strings"
)

// decimal checks the text of a flag's value that is a number, and returns it
// as the flag takes it: pflag reads 010 as 8 and 0x10 as 16, where a person
// means ten, or mistypes. Counts of tokens read themselves.
func decimal(kind, text string) (string, error) {
	switch kind {
	case "uint64":
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return "", err
		}
		return strconv.FormatUint(n, 10), nil
	case "int", "int64":
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "", err
		}
		return strconv.FormatInt(n, 10), nil
	case "float64":
		if strings.ContainsAny(text, "xX_") {
			return "", strconv.ErrSyntax
		}
	}
	return text, nil
}
