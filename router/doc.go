// Package router takes commands from the pipe to the agent and its answers back.
//
// The life of a command:
//
//  1. The Router receives it from inbound and puts it into its backlog. Replies
//     to our own questions do not queue: the Ledger gets them on receipt.
//  2. It leaves the backlog for starts when its turn has come. When the backlog
//     is full, a refusal takes its place in the queue.
//  3. The Starter, one goroutine, looks up its Route.
//  4. If the row names a pool, there must be room in the pool's queue; otherwise
//     the command is refused before anything is begun.
//  5. Start runs, in the order the host sent. It does not wait for a model, a
//     person or a process.
//  6. Without a Finish, its Answer goes to the outbox, and
//  7. Then runs: it releases the events that must not precede the answer.
//  8. With a Finish, the pool runs it beside everything else, and steps 6 and 7
//     follow there.
//  9. An error, or a panic, on the way is the command's answer.
//  10. So each command is answered exactly once. Two commands may add a later
//     error with the same id: see Accepting.
package router
