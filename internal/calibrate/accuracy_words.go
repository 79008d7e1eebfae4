package calibrate

const accuracyHead = `# How right the estimates are

Written by ` + "`planner calibrate`" + `; do not edit. Published, measured training runs
(presets/runs, each source named in its sources.toml) are predicted from their
configuration alone and held against what was measured. Three kinds of error:

- *fitted on all*: the constants have seen the run. Optimistic.
- *without its group*: five folds of whole sweeps. What to expect of another
  layout on a cluster and stack that is in the table.
- *without its source*: the source withheld and the constants those of the
  nearest profile. What to expect of a cluster never seen.

`

const accuracyWords = `## In plain words

Good: dense models under Megatron on H100 and A100 and under FSDP, where the
table says what ran. Errors there are those of a rerun after a software update.

What the residuals say, and what would mend it:

- **A cluster never seen.** Most of the error without a source is one factor
  common to its runs: the network that nobody states, power limits, the age of
  the software. One measured step (` + "`planner calibrate --from runs.tsv`" + `) removes it.
- **Networks that a table leaves open.** A100 clusters of 2021 to 2023 behave as
  if a small part of their nominal rate between nodes were reachable. The fitted
  share is used for such rows only; a plan states its network.
- **nanotron with a pipeline (ultrascale).** Beside a pipeline the host waits in
  every TP call for each further rank of its group; across nodes the call itself
  takes longer by rank: skew and skew_across in the table of constants. Some runs
  wait half a second besides in each exchange with a neighbouring stage, whatever
  the model, the message or the layout: one in ten on 8 to 64 GPUs, half on 256,
  all on 512 (slot_wide). No column tells which below 512, as if one node in fifty
  were faulty: the prediction is that of a run without, and the band is wide. The
  three quarters of all runs that do not wait are within 10 %. Without a pipeline
  half the runs on 512 GPUs lose a second a micro-batch, which is not modelled.
- **Close to capacity (ultrascale).** Of 57 nanotron runs that took more than 64 GiB
  of 79 all 17 above 70 took 3 to 12 times as long, none of the others did: the
  allocator frees its cache and asks again (retry). Runs of other frameworks near
  capacity do not show it.
- **39 B on two tensor-parallel ranks (vtrain_multi).** 0.1 to 0.25 s a micro-batch
  beyond prediction, whatever the micro-batch: not bandwidth, not in the table.
- **Small models (vtrain_single).** Steps of 0.1 s, where launches and kernels take
  alike: a layer is up to a fifth faster or slower than predicted by micro-batch,
  width and TP, in jumps, as libraries pick their kernels. On one tensor-parallel
  rank the head takes four times what its products should, as with a vocabulary of
  50,257 that is not padded; the framework's own padding is what is predicted.
- **Full recomputation on two or more tensor-parallel ranks (hagemann2023).** 20 to
  50 ms a micro-batch and stage beyond prediction at one sequence each, whatever the
  layers of the stage.
- **Sparse models on Blackwell (megatron_bridge).** Releases differ by up to two times
  on one layout, by dispatcher, CUDA graphs and recomputation that the table does
  not give. Experts with biases are still a fifth to a quarter slower in 16 bits
  than predicted, on every accelerator.
- **Memory close to capacity.** Within 5 % of it the verdict of fit or OOM is wrong three
  times in ten (docs/MEMORY.md, section 4): such layouts are called marginal.
- **Memory of nanotron (ultrascale).** Its figure is that of rank 0, on the first
  stage. At 8 tensor-parallel ranks and more two kinds of run, equal in every
  column, differ by up to 1.8 times: one keeps 3 bytes a hidden element, layer and
  token that tensor parallelism does not divide. The prediction lies between.
- **Memory of BLOOM's tuning (bigscience).** Within 5 % in fp16; from one day on the
  runs were in bf16, which no column says, and took a third more: fp32 gradients.
- **Memory under context parallelism (simumax_b200).** The table leaves the exchange
  open. Taken as the ring that Megatron defaults to, runs come out 1 to 3 % low;
  taken as Ulysses, within 0.3 %.
- **Kernels of 2023 (hagemann2023).** Residuals and rotary embeddings ran as kernels
  of their own; the columns say which attention kernel ran but not which others,
  nor which release of the code: with flash2, layouts without a pipeline hide
  gradient calls that the others show, and 13 B with two stages and large
  micro-batches takes up to 1.6 times its twins. The order of layouts suffers most.
- **What no column says (hagemann2023, bigscience, vtrain_multi).** A forest of 300
  regression trees over every column of the table, grown on what the model leaves of
  four fifths of the sweeps, foretells none of what it leaves of the others (R² of
  0.01, 0.12 and −0.18): another formula of these columns would not either. Of
  vtrain_single it foretells 96 %, which is the jumps named above.
- **ZeRO-3 of 2021 (narayanan2021).** Two runs on 1,120 and 1,536 GPUs take 1.7 to 2.1
  times the prediction, which has DeepSpeed's calls of today: a gather for each matrix,
  three times a layer. Nobody knows the release or how much of them it hid.
- **A framework without its source (ultrascale, vtrain_single, simumax_b200, bigscience).**
  The host times of nanotron and of Megatron-DeepSpeed, whether Megatron's TP calls
  hide, and BLOOM's network are each known from one source alone: without it the model
  is right in order and wrong by a factor. Where no run speaks of a constant the prior
  of the table below holds.

`

const accuracyLegend = `
What they are (strategies/profile.go and hardware/accelerator.go have the units):

- tp_, cp_, ep_, pp_, dp_exposed: share of a call's own time that stays on the
  critical path although work runs beside it; tp_beside the same of TP calls beside
  an independent product. Above 1: links slower than assumed.
- host, host_call, host_gather, host_expert: launch time of a layer in one
  direction, of a TP call, of gathering parameters, of routed experts; host_batch and
  host_step of a micro-batch and of a step. slot: lost in the exchange between
  stages; slot_wide: waited for each neighbour on 512 GPUs and more; retry: a
  micro-batch's wait for the allocator close to capacity.
- skew, skew_across: how much later each further rank joins a TP call, beside a
  pipeline and across nodes. straggler: slowdown of each doubling beyond 8 GPUs.
- pointwise, norm_unfused, plain: traffic of norms and residuals over the fused
  minimum, the second and third where they are kernels of their own. misaligned:
  attention whose head is no multiple of 16 bytes. loss_bytes: traffic of a logit.
- network: share of the nominal rate between nodes where a table does not state the
  network; above 1 where the machine assumed for it is too slow.
- optimizer: its traffic over its nominal bytes. compute: kernel time over the
  kernel tables'.
- gemm, gemm_fp8, gemm_fp4, flash[0] (the usual kernel), flash[1], flash_triton:
  shares of peak; gemm_half_k the inner dimension at half the rate; memory: share of
  the bandwidth; boost: share of a pipeline's idle time that comes back as clocks.
- saved, fragment, logits_split, logits_whole, norm_saved, runtime, per_comm: memory,
  in bytes or over the sum of tensors.
`
