# Fetches a repository, and makes a view of it as of an instant. Run in a sandbox, by any POSIX shell with git.
#
#   sh repository.sh ADDRESS BASE VIEW REPORT MODE SECONDS REVISION…
#
# BASE/repository: a bare copy of everything, kept. VIEW: a bare repository that borrows its objects: branches
# end at the last commit of their own line no later than SECONDS since 1970; tags and commits are as they are.
# REPORT/commits: for each REVISION the commit that it names, or "-". REPORT/N/: what that commit requires.
# MODE: "clone"; "fetch" what is new; "use" what is there, and fetch only for a revision that is not.
set -u
address=$1 base=$2/repository view=$3 report=$4 mode=$5 seconds=$6
shift 6

g() {
    command git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c gc.auto=0 -c maintenance.auto=false \
        -c fetch.unpackLimit=1 -c transfer.unpackLimit=1 -c fetch.recurseSubmodules=false -c credential.helper= "$@"
}

update() {
    [ -f "$report/fetched" ] && return 1
    : > "$report/fetched"
    if [ ! -d "$base" ]; then
        g clone --bare --quiet --template= -- "$address" "$base"
        return
    fi
    g --git-dir="$base" fetch --quiet --force --prune -- "$address" '+refs/heads/*:refs/heads/*' \
        '+refs/tags/*:refs/tags/*' || return 1
    head=$(g ls-remote --symref -- "$address" HEAD | sed -n 's|^ref: \(refs/heads/[^[:space:]]*\)[[:space:]]*HEAD$|\1|p')
    [ -z "$head" ] || g --git-dir="$base" symbolic-ref HEAD "$head"
}

# The full hash of the commit that $1 names at the instant; nothing and a failure where it names none.
commit_of() {
    branch=refs/heads/$1
    [ "$1" != HEAD ] || branch=$(g --git-dir="$base" symbolic-ref HEAD)
    if g --git-dir="$base" show-ref --verify --quiet "$branch"; then
        g --git-dir="$base" rev-list --max-count=1 --first-parent --min-age="$seconds" "$branch" -- | grep .
    elif g --git-dir="$base" show-ref --verify --quiet "refs/tags/$1"; then
        g --git-dir="$base" rev-parse --verify --quiet --end-of-options "refs/tags/$1^{commit}" | grep -v -e '^--'
    else
        g --git-dir="$base" rev-parse --verify --quiet --end-of-options "$1^{commit}" | grep -v -e '^--'
    fi
}

is_hash() {
    case "$1" in *[!0-9a-f]*) return 1 ;; esac
    [ ${#1} -eq 40 ]
}

# What is not there may have been pushed since, or lie on no branch.
found() {
    commit_of "$1" && return
    update && commit_of "$1" && return
    is_hash "$1" && g --git-dir="$base" fetch --quiet -- "$address" "$1" && commit_of "$1"
}

[ "$mode" = use ] || update || exit 1

g init --quiet --bare --template= "$view" || exit 1
mkdir -p "$view/objects/info"
printf '%s\n' "$base/objects" > "$view/objects/info/alternates"
g --git-dir="$view" config uploadpack.allowAnySHA1InWant true
g --git-dir="$view" config uploadpack.allowFilter true
g --git-dir="$base" for-each-ref --format='create %(refname) %(objectname)' refs/tags |
    g --git-dir="$view" update-ref --stdin

head=$(g --git-dir="$base" symbolic-ref HEAD)
if commit=$(commit_of HEAD); then
    g --git-dir="$view" update-ref "$head" "$commit"
fi
g --git-dir="$view" symbolic-ref HEAD "$head"

number=0
: > "$report/commits"
for revision; do
    if commit=$(found "$revision"); then
        if g --git-dir="$base" show-ref --verify --quiet "refs/heads/$revision"; then
            g --git-dir="$view" update-ref "refs/heads/$revision" "$commit"
        fi
        # So that what lies on no branch, or behind the instant, is found by its hash, whole or short.
        g --git-dir="$view" update-ref "refs/heads/backdate/$commit" "$commit"
        mkdir -p "$report/$number"
        for file in pyproject.toml setup.cfg setup.py requirements.txt .gitmodules; do
            if g --git-dir="$base" cat-file -e "$commit:$file" 2> /dev/null; then
                g --git-dir="$base" cat-file blob "$commit:$file" | head -c 500000 > "$report/$number/$file"
            fi
        done
        g --git-dir="$base" ls-tree -r "$commit" | grep '^160000 ' | head -n 100 > "$report/$number/links"
    else
        commit=-
    fi
    printf '%s\n' "$commit" >> "$report/commits"
    number=$((number + 1))
done
