package main

// EVOLVE-BLOCK-START
import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
)

// The smallest distance of two numbers: all pairs are compared.
func smallestGap(x []float64) float64 {
	best := math.Inf(1)
	for i := range x {
		for j := i + 1; j < len(x); j++ {
			best = math.Min(best, math.Abs(x[i]-x[j]))
		}
	}
	return best
}

// EVOLVE-BLOCK-END

// Lines of JSON in and out: {"call": "smallest_gap", "args": [{"$array": "float64", "shape": [n]}]}, behind it the n numbers.
type request struct {
	Args []struct{ Shape []int }
}

func main() {
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked request
		if err := json.Unmarshal(line, &asked); err != nil {
			panic(err)
		}
		x := make([]float64, asked.Args[0].Shape[0])
		if err := binary.Read(input, binary.LittleEndian, x); err != nil {
			panic(err)
		}
		fmt.Printf("{\"value\": %v}\n", smallestGap(x))
	}
}
