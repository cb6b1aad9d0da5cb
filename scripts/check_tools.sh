# Says in one line which system package is missing before anything is built.  Usage: check_tools.sh PYTHON CXX
python=$1 cxx=$2

missing() {
    echo "$1 is missing; install it and run make again (Debian, Ubuntu: apt-get install $2; Fedora: dnf install $3)" >&2
    exit 1
}

command -v "$python" >/dev/null || missing "Python 3.11 or newer" python3 python3
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    { echo "Python 3.11 or newer is needed; '$python' is $("$python" -V); choose another: make PYTHON=python3.12" >&2; exit 1; }
"$python" -c 'import ensurepip, venv' 2>/dev/null || missing "Python's venv module" python3-venv python3
"$python" -c 'import os, sysconfig; os.stat(os.path.join(sysconfig.get_path("include"), "Python.h"))' 2>/dev/null ||
    missing "Python's C headers" python3-dev python3-devel
command -v "$cxx" >/dev/null || missing "A C++ compiler ($cxx)" g++ gcc-c++
