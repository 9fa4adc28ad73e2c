# Compiles a program in another language, in a container of its own, where it is run as any program is. What it hands over
# is a claim like all else: the host takes the files as they are, and runs them where programs run.
import glob, os, subprocess, zlib

# The first errors explain the others.
MOST_SAID = 1_500
MOST_BYTES = 16 << 20


def build(instance):
    os.chdir(os.environ.get("TMPDIR", "/tmp"))
    with open(instance["file"], "w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(instance["source"])
    said, code = "", 0
    if instance["compile"]:
        with open("compiler.said", "wb") as log:
            try:
                code = subprocess.run(instance["compile"], stdin=subprocess.DEVNULL, stdout=log, stderr=log).returncode
            except FileNotFoundError:
                return {"lacks": instance["compile"][0]}
        with open("compiler.said", "rb") as log:
            said = log.read(MOST_SAID).decode("utf-8", "replace")
        used, seconds = os.times(), instance["seconds"]
        # A compiler may outlive the process of its own that the limit ended.
        if code != 0 and used.children_user + used.children_system > seconds - 1:
            said = f"the compiler was stopped after {seconds} s of CPU time (limit {seconds} s)"
    files, left = {}, MOST_BYTES
    if code == 0:
        for name in glob.glob(instance["built"]):
            with open(name, "rb") as file:
                data = file.read(left + 1)
            left -= len(data)
            if left < 0:
                return {"code": 1, "said": f"expected a built program of at most {MOST_BYTES >> 20} MiB", "files": {}}
            files[name] = zlib.compress(data, 6).hex().upper()
        if not files:
            code, said = 1, said or "the compiler left no program"
    return {"code": code, "said": said, "files": files}
