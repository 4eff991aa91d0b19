// Package stages is the pipe between two ends that speak lines of JSON:
// generic over the protocol, ignorant of its commands.
//
//	in ─► Read ─lines─► Decode ─inbound─► middle ─outbox─► FanIn ─wire─► Write ─► out
//
// The agent puts a router in the middle, the host client a dispatcher. Each
// stage file answers four questions: what comes in, what goes out, what ends
// it, and what it does when the next one is slow.
//
// There are two ways to end. A soft stop closes the channels from the front,
// and everyone finishes what was accepted. A hard stop cancels the context with
// a cause, and every send and receive hears it.
package stages
