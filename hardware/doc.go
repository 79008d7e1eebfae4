// Package hardware knows accelerators, links, tiers and clusters, and where
// the ranks of a group sit. It knows nothing of models or layouts.
package hardware
