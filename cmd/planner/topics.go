package main

import "github.com/spf13/cobra"

// addTopics adds help topics: commands that only have a help text.
func addTopics(root *cobra.Command) {
	for _, t := range []struct{ name, short, text string }{
		{"units", "how sizes, rates and times are read and written", `GB is 1e9 bytes and GiB 2^30. Memory is shown in GiB, traffic in GB, bandwidth in GB/s, links as
sold in Gb/s (bits), steps in seconds, calls in milliseconds. JSON and CSV hold base units with the
unit in the key. Sizes of models are 8b, 70b, 1.5t; memory 72GiB or 80GB; links 400Gb/s or 50GB/s.
Tokens of a sequence and sequences of a batch are whole numbers, or with k = 1,000, Ki = 1,024,
M = 1e6, Mi = 2^20: --seq-len 128Ki is 131,072.`},
		{"parallelism", "the dimensions of a layout and its spelling", `A layout is key=value pairs, in this order, defaults left out:
  tp pp vpp cp ep etp dp zero shard mbs sp recompute schedule first last cpkind dispatcher offload hpz
TP splits matrices, SP norms and residuals over the same ranks, CP the sequence, PP the layers
(VPP chunks a rank), EP the experts, DP the batch. ZeRO splits optimizer state (1), gradients (2)
and parameters (3) over shard ranks, dp·cp unless smaller (HSDP). world = tp·cp·pp·dp, TP innermost.
Experts fold over the same ranks: etp·ep·edp = tp·cp·dp. GA = batch/(dp·mbs) micro-batches a step.`},
		{"mfu", "what MFU counts", `MFU = FLOPs of the model per step / (step time × dense peak × GPUs). FLOPs per token are
6·(active parameters − input embedding; the LM head counted even when tied) + 12·layers·heads·head_dim·seq,
windows honoured. mfu_causal counts half of the attention term. HFU adds what recomputation repeats.`},
		{"formats", "the output formats", `--format table is for people, json, csv and markdown for other tools. Standard output holds the data
alone; what was chosen, searched and noticed goes to standard error.`},
		{"exit-codes", "the exit statuses", `0  done
1  the answer is no: nothing fits, a check failed or was inconclusive, an interrupted search
2  the input is wrong: one line naming what was given, what is wrong, what would do`},
		{"environment", "variables and files that hold defaults", `Commands that plan take their defaults from PLANNER_NAME (PLANNER_SEQ_LEN for --seq-len), else from
planner.toml in the working folder, else from planner/config.toml in the user's configuration folder;
a flag wins over all. planner config shows each value and where it came from. NO_COLOR turns colour
off. Nothing is sent anywhere.`},
	} {
		root.AddCommand(&cobra.Command{Use: t.name, Short: t.short, Long: t.text})
	}
}
