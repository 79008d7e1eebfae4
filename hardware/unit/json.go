package unit

import (
	"encoding/json"
	"strings"
)

// UnmarshalJSON reads a number of seconds, as encoding/json writes it, or a
// string such as "3us".
func (s *Seconds) UnmarshalJSON(text []byte) error {
	return fromJSON(text, (*float64)(s), s.UnmarshalText)
}

// UnmarshalJSON reads a number of bytes per second, or a string such as
// "400Gb/s".
func (r *BytesPerSecond) UnmarshalJSON(text []byte) error {
	return fromJSON(text, (*float64)(r), r.UnmarshalText)
}

func fromJSON(text []byte, to *float64, words func([]byte) error) error {
	if !strings.HasPrefix(string(text), `"`) {
		return json.Unmarshal(text, to)
	}
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	return words([]byte(s))
}
