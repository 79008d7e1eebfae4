// What the fakes of libcuda and libnccl share.
enum { COPY, FILL, LAUNCH, RECORD, WAIT, GRAPH, FOREIGN };
enum { MAXNODES = 4096 };
struct ctx;
struct event { struct ctx *ctx; unsigned flags; int recorded, done, users; struct graph *graph; int node; };
struct op {
  int kind, seq, before, dep;
  uint64_t arg[12];
  const char *name;
  struct event *event;
  struct graph *graph;
  int (*attempt)(void *);
  void *foreign;
  struct stream *on;
  struct op *next;
};
struct graph { int n; struct op nodes[MAXNODES]; };
struct stream { struct ctx *ctx; struct op *head, *tail; struct graph *graph; int last; struct stream *next; };
int enqueue(struct stream *s, struct op o);
