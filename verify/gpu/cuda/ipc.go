package cuda

// openLazily is CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS, the only flag there is.
const openLazily = 1

// Export names a rank's memory, from its beginning, to other processes of the
// machine.
func (g *Group) Export(rank int, p Pointer) (h IPCHandle, err error) {
	err = g.on(func() error {
		if err := g.enter(g.ranks[rank].gpu); err != nil {
			return err
		}
		return g.d.check(g.d.ipcMem(&h, p), "cuIpcGetMemHandle")
	})
	return h, err
}

// Import opens memory of another process for a rank; Unimport closes it.
func (g *Group) Import(rank int, h IPCHandle) (p Pointer, err error) {
	err = g.on(func() error {
		if err := g.enter(g.ranks[rank].gpu); err != nil {
			return err
		}
		return g.d.check(g.d.ipcOpenMem(&p, h, openLazily), "cuIpcOpenMemHandle")
	})
	return p, err
}

// Unimport closes memory that Import opened.
func (g *Group) Unimport(rank int, p Pointer) error {
	return g.on(func() error {
		if err := g.enter(g.ranks[rank].gpu); err != nil {
			return err
		}
		return g.d.check(g.d.ipcCloseMem(p), "cuIpcCloseMemHandle")
	})
}
