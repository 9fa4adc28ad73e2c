# EVOLVE-BLOCK-START
# The smallest distance of two numbers: all pairs are compared.
function smallest_gap(x)
    best = Inf
    for i in eachindex(x), j in i+1:length(x)
        best = min(best, abs(x[i] - x[j]))
    end
    best
end
# EVOLVE-BLOCK-END

# Lines of JSON in and out: {"call": "smallest_gap", "args": [{"$array": "float64", "shape": [n]}]}, behind it the n numbers.
while !eof(stdin)
    line = readline(stdin)
    n = parse(Int, match(r"\"shape\":\[(\d+)\]", line)[1])
    x = Vector{Float64}(undef, n)
    read!(stdin, x)
    println("{\"value\": ", smallest_gap(x), "}")
    flush(stdout)
end
