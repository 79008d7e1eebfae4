package replay

// Starts returns how often the program of a row's stage makes its call.
func (p *Plan) Starts(row int) int {
	n := 0
	for _, a := range p.Stages[p.Calls[row].Stage] {
		if a.Kind == Start && int(a.Row) == row {
			n++
		}
	}
	return n
}
