package validate

import (
	"fmt"

	"planner/internal/catalog"
)

type clusterKey struct {
	gpu                   string
	gpus, perNode, domain int
	inter                 string
}

// cluster finds the machine of a run: the builder's, or what the row says of it.
func (b *Builder) cluster(c *Case) error {
	r := c.Run
	key := clusterKey{gpu: b.Hardware, gpus: r.GPUs}
	o, unread := catalog.ClusterOptions{}, false
	if b.Hardware == "" {
		key = clusterKey{r.GPU, r.GPUs, r.PerNode, r.Domain, r.InterNode}
		o, unread = interNode(r)
		o.GPUsPerNode, o.Domain = r.PerNode, r.Domain
	}
	cl, ok := b.clusters[key]
	if !ok {
		var err error
		if cl, err = catalog.ClusterWith(key.gpu, r.GPUs, o); err != nil {
			return err
		}
		b.clusters[key] = cl
	}
	c.Cluster = cl
	if b.Hardware == "" {
		c.assumeCluster(unread)
	}
	return b.constants(c)
}

// assumeCluster books what the row leaves to the machine of its gpu column. A
// cluster preset or a file states its network; an accelerator alone has a usual
// machine, of which published runs reached a share.
func (c *Case) assumeCluster(unread bool) {
	r, cl := c.Run, c.Cluster
	machine, bare := r.GPU, cl.Name == cl.GPU.Name && !catalog.IsPath(r.GPU)
	if bare {
		machine = "the usual machine of " + r.GPU
	}
	c.Unstated = bare && (r.InterNode == "" || unread)
	switch {
	case unread:
		c.assume("inter_node", fmt.Sprintf("%q not understood; as %s", r.InterNode, machine))
	case c.Unstated:
		c.assume("inter_node", "as "+machine)
	}
	if bare && r.PerNode == 0 {
		c.assume("gpus_per_node", fmt.Sprint(cl.PerNode))
	}
}

// constants loads the kernels of the case's accelerator.
func (b *Builder) constants(c *Case) error {
	gpu := c.Cluster.GPU
	k, ok := b.kernels[gpu.Name]
	if !ok {
		f, err := catalog.LoadKernels(gpu.Arch, gpu.Name)
		if err != nil {
			return err
		}
		k = f.Constants
		b.kernels[gpu.Name] = k
	}
	c.Kernels = k
	return nil
}
