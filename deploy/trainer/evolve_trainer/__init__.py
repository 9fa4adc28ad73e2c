"""The trainers of DurableEvolve: a worker of the queue `evolve-rl`, and the reference trainer with its server."""
