package script

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// kubernetes writes an indexed job with a pod for each node, and the service
// by which pods find the first. In a pod a shell starts a rank for each GPU
// and ends them all when one fails.
func (o *Options) kubernetes() (string, error) {
	if o.Image == "" {
		return "", errors.New("k8s: no image: want a container image that has planner-gpu and NCCL")
	}
	if len(o.Input) > mostInput {
		return "", fmt.Errorf("k8s: layouts of %d bytes: more than a ConfigMap holds: want fewer layouts (--top)", len(o.Input))
	}
	return o.job() + indented(o.pod(), "              ") + o.volumes(), nil
}

// jobHead is the service and the job up to what runs in its pods.
const jobHead = `# start: kubectl apply -f THIS_FILE; result: kubectl logs -f job/%[1]s
apiVersion: v1
kind: Service
metadata:
  name: %[1]s
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    job-name: %[1]s
---
apiVersion: batch/v1
kind: Job
metadata:
  name: %[1]s
spec:
  completionMode: Indexed
  completions: %[2]d
  parallelism: %[2]d
  backoffLimit: 0
  activeDeadlineSeconds: %[3]d
  template:
    spec:
      subdomain: %[1]s
      restartPolicy: Never
      containers:
        - name: ranks
          image: %[4]s
          env:
            - {name: MASTER_ADDR, value: %[5]s}
            - {name: MASTER_PORT, value: "%[6]d"}
            - {name: WORLD_SIZE, value: "%[7]d"}
          resources:
            limits:
              %[8]s: %[9]d
          volumeMounts:
            - {name: shm, mountPath: /dev/shm}%[10]s
          command: ["bash", "-c"]
          args:
            - |
`

// job writes the service and the job up to the shell of its pods.
func (o *Options) job() string {
	return fmt.Sprintf(jobHead, o.Name, o.Nodes, 60*o.Minutes, yamlString(o.Image), yamlString(o.Name+"-0."+o.Name), port, o.Nodes*o.PerNode,
		yamlString(o.Resource), o.PerNode, o.mount())
}

// indented puts every line of a text behind a margin.
func indented(text, margin string) string {
	return margin + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+margin) + "\n"
}

// volumes writes the volumes of the pods, and the map that holds the file.
func (o *Options) volumes() string {
	text := "      volumes:\n        - name: shm\n          emptyDir: {medium: Memory}\n"
	if len(o.Input) == 0 {
		return text
	}
	return text + fmt.Sprintf("        - name: input\n          configMap: {name: %[1]s}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %[1]s\nbinaryData:\n  %[2]s: %[3]s\n",
		o.Name, InputName, base64.StdEncoding.EncodeToString(o.Input))
}

// mostInput is what a ConfigMap of 1 MiB holds beside its names.
const mostInput = 1<<20 - 1024

// mount is where pods see the file.
func (o *Options) mount() string {
	if len(o.Input) == 0 {
		return ""
	}
	return "\n            - {name: input, mountPath: /planner, readOnly: true}"
}

// pod is the shell that runs in each pod.
func (o *Options) pod() string {
	enter := ""
	if len(o.Input) > 0 {
		enter = "cd /planner\n"
	}
	return enter + fmt.Sprintf(`pids=()
for i in $(seq 0 %d); do
  RANK=$((JOB_COMPLETION_INDEX * %d + i)) LOCAL_RANK=$i %s &
  pids+=($!)
done
status=0
for p in "${pids[@]}"; do
  wait "$p" || { status=$?; kill "${pids[@]}" 2>/dev/null; break; }
done
exit $status
`, o.PerNode-1, o.PerNode, o.command())
}

// yamlString quotes a scalar.
func yamlString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
