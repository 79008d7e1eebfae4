package unit

import (
	"encoding/json"
	"testing"
)

// TestJSONReadsWhatItWrites and the words of TOML.
func TestJSONReadsWhatItWrites(t *testing.T) {
	type pair struct {
		S Seconds
		R BytesPerSecond
	}
	b, err := json.Marshal(pair{0.25, 3e9})
	if err != nil {
		t.Fatal(err)
	}
	var a, c pair
	if err := json.Unmarshal(b, &a); err != nil || a != (pair{0.25, 3e9}) {
		t.Errorf("%s: %v, %v", b, a, err)
	}
	if err := json.Unmarshal([]byte(`{"S":"3us","R":"8Gb/s"}`), &c); err != nil || c != (pair{3e-6, 1e9}) {
		t.Errorf("%v, %v", c, err)
	}
	if err := json.Unmarshal([]byte(`{"S":"three"}`), &c); err == nil {
		t.Error("a word was taken for seconds")
	}
}
