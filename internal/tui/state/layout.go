package state

// The least size that is drawn, and the width from which the full screen is.
const (
	MinWidth, MinHeight = 60, 16
	WideWidth           = 110
	tallHeight          = 40
)

// Small reports a terminal on which a row shows its layout as one string.
func (s *State) Small() bool { return s.W < WideWidth || s.H < 30 }

// TableRows returns how many layouts fit on the screen: the lines that header,
// borders, selection, message, command and keys leave.
func (s *State) TableRows() int {
	if s.Small() {
		return max(1, s.H-13)
	}
	return max(1, s.H-7-s.PanelLines())
}

// PanelLines is the height of the panel on the selected layout, its frame
// included: on a tall screen its longest lines have room to wrap.
func (s *State) PanelLines() int {
	if s.H < tallHeight {
		return 9
	}
	return 11
}

// tableTop is the line of the first row of the table.
func (s *State) tableTop() int {
	if s.Small() {
		return 2
	}
	return 3
}
