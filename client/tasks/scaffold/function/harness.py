"""The program's side: turns a request into the program's arguments, its answer into plain data. Nothing here is trusted."""


def invoke(function, request, ask):
    return [int(job) for job in function(list(request["durations"]), list(request["weights"]))]
