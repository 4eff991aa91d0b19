// Package acp is the table of the Agent Client Protocol: what each method asks
// of the agents. A client has many sessions, and each is an agent of its own. The
// same package serves what agents ask of their client: permissions, files,
// terminals and forms.
package acp
