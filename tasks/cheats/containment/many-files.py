# Makes files until there is no room for another name.
# expects: honest or no_solution memory timeout_cpu timeout_wall
__PROGRAM__

try:
    for number in range(200000):
        open(f"/box/{number}", "w").close()
except OSError:
    pass
