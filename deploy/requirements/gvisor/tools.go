// Package tools names what deploy/parts/gvisor.ts builds, so that go.mod and go.sum pin all of it.
package tools

import _ "gvisor.dev/gvisor/runsc"
