package strategies

// Settle returns l without the choices that have nothing to act on, so that
// layouts which run alike are written alike: a dispatcher without experts, an
// exchange of context parallelism at CP 1, full recomputation of as many layers
// as the model has.
func (p *Problem) Settle(l Layout) Layout {
	if p.Model.Experts() == 0 || l.EP*l.ETP == 1 {
		l.Dispatcher = DispatchAllToAll
	}
	if l.CP == 1 {
		l.CPKind = CPP2P
	}
	if l.FullLayers == p.Model.Layers() {
		l.FullLayers = 0
	}
	return l
}
