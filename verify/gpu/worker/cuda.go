package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/bench"
	"planner/verify/gpu/cuda"
)

// onCUDA measures with all ranks in this process.
func onCUDA(ctx context.Context, o *Options) (*Document, error) {
	drv, err := o.open()
	if err != nil {
		return nil, err
	}
	doubts := o.watch()
	ordinals, err := o.place(drv)
	if err != nil {
		return nil, err
	}
	g, err := cuda.NewGroup(drv, ordinals)
	if err != nil {
		return nil, err
	}
	g.Timeout = o.Timeout
	doc := &Document{Backend: string(o.Backend), Ranks: g.Size(),
		Library: drv.Title()}
	for r := range g.Size() {
		doc.GPUs = append(doc.GPUs, fmt.Sprintf("%s device %d %s %s", hostName(), g.Device(r).Ordinal, g.Device(r).Bus, g.Device(r).Name))
	}
	for _, w := range o.Calls {
		c, err := check(w)
		if err != nil {
			return nil, err
		}
		if err := o.callCUDA(ctx, drv, ordinals, c, doc); err != nil {
			return nil, err
		}
	}
	for _, op := range o.Ops {
		for _, size := range o.sizes() {
			if err := o.addCUDA(ctx, g, op, size, doc); err != nil {
				return nil, err
			}
		}
	}
	doc.Notes = append(doc.Notes, doubts()...)
	return doc, g.Close()
}

// callCUDA measures a call of a plan by its first group.
func (o *Options) callCUDA(ctx context.Context, drv *cuda.Driver, ordinals []int, c call, doc *Document) error {
	if err := c.fits(len(ordinals)); err != nil {
		return err
	}
	var members []int
	for r := range ordinals {
		if c.color(r) == 0 {
			members = append(members, ordinals[r])
		}
	}
	g, err := cuda.NewGroup(drv, members)
	if err != nil {
		return err
	}
	g.Timeout = o.Timeout
	return errors.Join(o.with(c).addCUDA(ctx, g, c.op, c.bytes, doc), g.Close())
}

func (o *Options) addCUDA(ctx context.Context, g *cuda.Group, op collective.Op, size int, doc *Document) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	row, err := o.rowCUDA(g, op, size)
	if err != nil {
		return fmt.Errorf("%v of %d bytes: %w", op, size, err)
	}
	doc.Rows = append(doc.Rows, row)
	doc.Wrong += row.Out.Wrong
	return nil
}

// place says on which GPU each rank is.
func (o *Options) place(d *cuda.Driver) ([]int, error) {
	gpus := o.GPUs
	if len(gpus) == 0 {
		all, err := d.Devices()
		if err != nil {
			return nil, err
		}
		for i := range all {
			gpus = append(gpus, i)
		}
	}
	n := o.Ranks
	if n == 0 {
		n = len(gpus)
	}
	ordinals := make([]int, n)
	for r := range ordinals {
		ordinals[r] = gpus[r%len(gpus)]
	}
	return ordinals, nil
}

func (o *Options) rowCUDA(g *cuda.Group, op collective.Op, size int) (row bench.Row, err error) {
	n := g.Size()
	count := o.count(op, size, n)
	c := cuda.Call{Type: o.Type, Reduction: o.Reduction, Spec: steps.Spec{Op: op, Ranks: n, Count: count,
		Alg: cuda.Choose(op, count*o.Type.Size())}}
	if op >= collective.Broadcast {
		c.Root = min(o.Root, n-1)
	}
	data := bench.NewData(c.Spec, o.Type, o.Reduction)
	free, err := fillAll(g, &c, data)
	if err != nil {
		return row, err
	}
	defer free()
	once, done, err := o.starter(g, c)
	if err != nil {
		return row, err
	}
	defer done()
	wrong, err := checkOnce(g, c, data, once)
	if err != nil {
		return row, err
	}
	each, err := o.loop(once, g.Wait)
	return o.newRow(op, count, n, wrong, each, c.Alg.String()), err
}

// starter returns what puts the call on the GPUs once.
func (o *Options) starter(g *cuda.Group, c cuda.Call) (once func() error, done func(), err error) {
	if !o.Graphs {
		return func() error { return g.Do(c) }, func() {}, nil
	}
	x, err := g.Capture(c)
	if err != nil {
		return nil, nil, err
	}
	return x.Launch, func() { _ = x.Close() }, nil
}

// loop returns the seconds of one of Iters calls put one behind the other,
// which is how nccl-tests times.
func (o *Options) loop(once, wait func() error) (float64, error) {
	for range o.Warmup {
		if err := once(); err != nil {
			return 0, err
		}
	}
	if err := wait(); err != nil {
		return 0, err
	}
	begin := time.Now()
	for range o.Iters {
		if err := once(); err != nil {
			return 0, err
		}
	}
	err := wait()
	return time.Since(begin).Seconds() / float64(o.Iters), err
}

func checkOnce(g *cuda.Group, c cuda.Call, d *bench.Data, once func() error) (wrong int, err error) {
	if err := once(); err != nil {
		return 0, err
	}
	if err := g.Wait(); err != nil {
		return 0, err
	}
	for r := range c.Ranks {
		_, n := steps.Lens(c.Spec, r)
		out := make([]byte, n*c.Type.Size())
		if err := g.Read(r, out, c.Out[r]); err != nil {
			return wrong, err
		}
		wrong += d.Wrong(out, r)
	}
	return wrong, nil
}

// fillAll gives every rank buffers, with its input in them.
func fillAll(g *cuda.Group, c *cuda.Call, d *bench.Data) (free func(), err error) {
	free = func() {
		for r := range c.In {
			_ = g.Free(r, c.In[r])
		}
		for r := range c.Out {
			_ = g.Free(r, c.Out[r])
		}
	}
	for r := range c.Ranks {
		in, out := steps.Lens(c.Spec, r)
		for _, b := range []struct {
			n  int
			to *[]cuda.Pointer
		}{{in, &c.In}, {out, &c.Out}} {
			p, err := g.Alloc(r, b.n*c.Type.Size())
			if err != nil {
				free()
				return nil, err
			}
			*b.to = append(*b.to, p)
		}
		host := make([]byte, in*c.Type.Size())
		d.Fill(host, r)
		if err := g.Write(r, c.In[r], host); err != nil {
			free()
			return nil, err
		}
	}
	return free, nil
}
