// Command bordero is the whole service in one binary. Its first argument selects the process or
// the command. The Procfile has a line for each process.
package main

import "bordero/internal/cli"

func main() { cli.Main() }
