/* Lets the n-th call of one system call on files under one folder fail; preloaded by tests/shim/runner.py.

   shim_arm(folder, call, n, error, lasting)   from now on; n = 0 only counts; lasting: every later one fails too;
                                               error 0: the process is killed there
   shim_count(call)                            how often it was called there since
   shim_held()                                 how often something was forced to the disk there while this process
                                               held the lock on a state (byte STATE of a file .lock, filter/locks.py)
   shim_upgraded()                             how often a shared lock on any byte of such a file became exclusive

   Calls on other files, on pipes and on memory pass untouched and uncounted. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

enum { WRITE, PWRITE, FSYNC, FDATASYNC, FTRUNCATE, FALLOCATE, MMAP, READ, PREAD, FCNTL, OPEN, UNLINK, LINK,
       RENAME, SENDFILE, CALLS };
static const char *NAMES[CALLS] = {"write", "pwrite", "fsync", "fdatasync", "ftruncate", "fallocate", "mmap",
                                   "read", "pread", "fcntl", "open", "unlink", "link", "rename", "sendfile"};
static char folder[4096];
static size_t folder_length;
static long counts[CALLS];
static int armed = -1, error_number, is_lasting;
static long nth;
enum { STATE = 1, BYTES = 8, FILES = 256 };
static short locks[FILES][BYTES];  /* of each open file: 0, or 1 + F_RDLCK or F_WRLCK */
static long held, upgraded;

static int number_of(const char *name) {
    for (int call = 0; call < CALLS; call++)
        if (!strcmp(NAMES[call], name)) return call;
    return -1;
}

void shim_arm(const char *under, const char *call, long n, int error, int lasting) {
    memset(counts, 0, sizeof counts);
    memset(locks, 0, sizeof locks);
    held = upgraded = 0;
    snprintf(folder, sizeof folder, "%s/", under);
    folder_length = strlen(folder);
    nth = n, error_number = error, is_lasting = lasting;
    armed = number_of(call);
}

long shim_count(const char *call) { return counts[number_of(call)]; }

long shim_held(void) { return held; }
long shim_upgraded(void) { return upgraded; }

/* Keep in mind which bytes this process has locked. */
static void remember(int file, const struct flock *lock) {
    if (file >= FILES || lock->l_start < 0 || lock->l_start >= BYTES) return;
    short *known = &locks[file][lock->l_start];
    if (*known == 1 + F_RDLCK && lock->l_type == F_WRLCK) upgraded++;
    *known = lock->l_type == F_UNLCK ? 0 : 1 + lock->l_type;
}

static int is_state_locked(void) {
    for (int file = 0; file < FILES; file++)
        if (locks[file][STATE]) return 1;
    return 0;
}

static int fails(int call) {
    long now = ++counts[call];
    if ((call == FSYNC || call == FDATASYNC) && is_state_locked()) held++;
    if (call != armed || nth == 0 || !(now == nth || (is_lasting && now > nth))) return 0;
    if (!error_number) kill(getpid(), SIGKILL);
    errno = error_number;
    return 1;
}

static int is_path_ours(const char *path) {
    return folder_length && path && !strncmp(path, folder, folder_length);
}

static int is_ours(int file) {
    char link[64], path[4096];
    if (!folder_length || file < 0) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_path_ours(path);
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__)) dlsym(RTLD_NEXT, name)

#define ON_FILE(type, name, call, parameters, arguments, ...) \
    type name parameters { \
        REAL(type, #name, __VA_ARGS__); \
        return is_ours(file) && fails(call) ? (type) -1 : real arguments; \
    }

ON_FILE(ssize_t, write, WRITE, (int file, const void *data, size_t size), (file, data, size), int, const void *, size_t)
ON_FILE(ssize_t, pwrite, PWRITE, (int file, const void *data, size_t size, off_t at), (file, data, size, at), int, const void *, size_t, off_t)
ON_FILE(ssize_t, pwrite64, PWRITE, (int file, const void *data, size_t size, off64_t at), (file, data, size, at), int, const void *, size_t, off64_t)
ON_FILE(ssize_t, read, READ, (int file, void *data, size_t size), (file, data, size), int, void *, size_t)
ON_FILE(ssize_t, pread, PREAD, (int file, void *data, size_t size, off_t at), (file, data, size, at), int, void *, size_t, off_t)
ON_FILE(ssize_t, pread64, PREAD, (int file, void *data, size_t size, off64_t at), (file, data, size, at), int, void *, size_t, off64_t)
ON_FILE(int, fsync, FSYNC, (int file), (file), int)
ON_FILE(int, fdatasync, FDATASYNC, (int file), (file), int)
ON_FILE(int, ftruncate, FTRUNCATE, (int file, off_t size), (file, size), int, off_t)
ON_FILE(int, ftruncate64, FTRUNCATE, (int file, off64_t size), (file, size), int, off64_t)

int posix_fallocate(int file, off_t at, off_t size) {
    REAL(int, "posix_fallocate", int, off_t, off_t);
    return is_ours(file) && fails(FALLOCATE) ? error_number : real(file, at, size);
}

int posix_fallocate64(int file, off64_t at, off64_t size) {
    REAL(int, "posix_fallocate64", int, off64_t, off64_t);
    return is_ours(file) && fails(FALLOCATE) ? error_number : real(file, at, size);
}

void *mmap(void *where, size_t size, int how, int flags, int file, off_t at) {
    REAL(void *, "mmap", void *, size_t, int, int, int, off_t);
    return is_ours(file) && fails(MMAP) ? MAP_FAILED : real(where, size, how, flags, file, at);
}

void *mmap64(void *where, size_t size, int how, int flags, int file, off64_t at) {
    REAL(void *, "mmap64", void *, size_t, int, int, int, off64_t);
    return is_ours(file) && fails(MMAP) ? MAP_FAILED : real(where, size, how, flags, file, at);
}

ssize_t sendfile64(int to, int from, off64_t *at, size_t size) {
    REAL(ssize_t, "sendfile64", int, int, off64_t *, size_t);
    return is_ours(from) && fails(SENDFILE) ? -1 : real(to, from, at, size);
}

ssize_t sendfile(int to, int from, off_t *at, size_t size) {
    REAL(ssize_t, "sendfile", int, int, off_t *, size_t);
    return is_ours(from) && fails(SENDFILE) ? -1 : real(to, from, at, size);
}

/* Locks only: what else fcntl does, such as closing on exec, does not fail. */
static int is_lock(int what) {
    return what == F_SETLK || what == F_GETLK || what == F_OFD_SETLK || what == F_OFD_GETLK;
}

#define FCNTL_NAMED(name) \
    int name(int file, int what, ...) { \
        va_list rest; \
        va_start(rest, what); \
        void *argument = va_arg(rest, void *); \
        va_end(rest); \
        REAL(int, #name, int, int, ...); \
        if (is_lock(what) && is_ours(file) && fails(FCNTL)) return -1; \
        int answer = real(file, what, argument); \
        if (what == F_OFD_SETLK && answer == 0) remember(file, argument); \
        return answer; \
    }
FCNTL_NAMED(fcntl)
FCNTL_NAMED(fcntl64)

int close(int file) {
    REAL(int, "close", int);
    if (file >= 0 && file < FILES) memset(locks[file], 0, sizeof locks[file]);
    return real(file);
}

#define OPEN_NAMED(name) \
    int name(const char *path, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0; \
        va_end(rest); \
        REAL(int, #name, const char *, int, ...); \
        return is_path_ours(path) && fails(OPEN) ? -1 : real(path, flags, mode); \
    }
OPEN_NAMED(open)
OPEN_NAMED(open64)

#define ON_PATH(name, call, parameters, arguments, ...) \
    int name parameters { \
        REAL(int, #name, __VA_ARGS__); \
        return is_path_ours(path) && fails(call) ? -1 : real arguments; \
    }
ON_PATH(unlink, UNLINK, (const char *path), (path), const char *)
ON_PATH(link, LINK, (const char *path, const char *new), (path, new), const char *, const char *)
ON_PATH(rename, RENAME, (const char *path, const char *new), (path, new), const char *, const char *)
