/* A client that puts load on any of the servers of a benchmark: one thread, epoll, no protocol of its own.
 *
 *     load_client PORT CONNECTIONS SECONDS RATE KEEPS HALF_CLOSES BEGINNING PART < questions
 *
 * Standard input has the questions, each as eight bytes of length and its bytes. Every connection asks the
 * next question as soon as it has an answer; with a RATE above 0 questions are due at that rate over all
 * connections, whether or not the answers keep up, and the time of an answer counts from when it was due.
 * An answer ends where its Content-Length says, with the packet by which a milter accepts a message or refuses
 * it, or with the connection. It is right if it starts with BEGINNING and has PART in it. Connections are made anew for each question unless KEEPS is 1; with
 * HALF_CLOSES the end of a question is the end of what is sent.
 *
 * Prints one line, "RIGHT WRONG SECONDS CPU_SECONDS", then the microseconds of each answer, one per line.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST_ANSWER (1 << 20)

struct question { char *bytes; size_t length; };
struct connection {
    int file, busy, events;
    size_t sent, got, whole; /* whole: how long the answer will be, once that is known */
    struct question *asked;
    double due;
    char *answer;
};

static struct question *questions;
static size_t question_count, next_question;
static int port, keeps, half_closes, poll_file;
static const char *beginning, *part;
static double *times;
static size_t time_count, time_room, wrong;

static void fail(const char *what) { perror(what); exit(1); }

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void read_questions(void) {
    uint64_t length;
    size_t room = 0;
    while (fread(&length, 8, 1, stdin) == 1) {
        if (question_count == room) {
            room = room ? 2 * room : 1024;
            questions = realloc(questions, room * sizeof *questions);
        }
        char *bytes = malloc(length);
        if (!bytes || fread(bytes, 1, length, stdin) != length) fail("questions");
        questions[question_count++] = (struct question){bytes, length};
    }
    if (!question_count) { fprintf(stderr, "no questions\n"); exit(1); }
}

static void watch(struct connection *c, int events, int how) {
    struct epoll_event e = {.events = events, .data.ptr = c};
    if (how == EPOLL_CTL_MOD && c->events == events) return;
    c->events = events;
    if (epoll_ctl(poll_file, how, c->file, &e)) fail("epoll_ctl");
}

static void open_connection(struct connection *c) {
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(port)};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int one = 1;
    c->file = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->file < 0) fail("socket");
    setsockopt(c->file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(c->file, (struct sockaddr *)&place, sizeof place) && errno != EINPROGRESS) fail("connect");
    watch(c, EPOLLIN | EPOLLOUT, EPOLL_CTL_ADD);
}

static void close_connection(struct connection *c) {
    close(c->file);
    c->file = -1;
}

static void send_more(struct connection *c) {
    while (c->sent < c->asked->length) {
        ssize_t n = send(c->file, c->asked->bytes + c->sent, c->asked->length - c->sent, MSG_NOSIGNAL);
        if (n < 0) {
            if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOTCONN) return watch(c, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
            return; /* the answer, or its absence, tells */
        }
        c->sent += n;
    }
    if (half_closes) shutdown(c->file, SHUT_WR);
    watch(c, EPOLLIN, EPOLL_CTL_MOD);
}

static void ask(struct connection *c, double due) {
    c->asked = &questions[next_question++ % question_count];
    c->sent = c->got = c->whole = 0;
    c->busy = 1;
    c->due = due;
    if (c->file < 0) open_connection(c);
    else send_more(c);
}

static void answered(struct connection *c, int is_open) {
    c->answer[c->got] = 0;
    int right = !strncmp(c->answer, beginning, strlen(beginning)) && memmem(c->answer, c->got, part, strlen(part));
    wrong += !right;
    if (time_count == time_room) {
        time_room = time_room ? 2 * time_room : 65536;
        times = realloc(times, time_room * sizeof *times);
    }
    times[time_count++] = now() - c->due;
    c->busy = 0;
    if (!is_open || !keeps) close_connection(c);
}

/* How long the answer of a milter is, whose packets begin with their length; 0 until the last of them is there.
 * One that lets a piece of the body pass looks like the last one, but comes before PART. */
static size_t length_of_packets(struct connection *c) {
    for (size_t at = 0; at + 5 <= c->got;) {
        uint32_t length;
        memcpy(&length, c->answer + at, 4);
        int is_last = strchr("acrtdy", c->answer[at + 4]) && memmem(c->answer, at, part, strlen(part));
        if (is_last) return at + 4 + ntohl(length);
        at += 4 + ntohl(length);
    }
    return 0;
}

/* How long an answer is, once its header is there; 0 if that is not known. */
static size_t length_of(struct connection *c) {
    if (!c->answer[0]) return length_of_packets(c);
    c->answer[c->got] = 0;
    char *end = strstr(c->answer, "\r\n\r\n");
    if (!end) return 0;
    for (char *line = strstr(c->answer, "\r\n"); line && line < end; line = strstr(line + 2, "\r\n"))
        if (!strncasecmp(line + 2, "content-length:", 15)) return end + 4 - c->answer + strtoul(line + 17, 0, 10);
    return 0;
}

static void read_more(struct connection *c) {
    while (1) {
        ssize_t n = recv(c->file, c->answer + c->got, MOST_ANSWER - c->got, 0);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (n <= 0) {
            if (c->busy) answered(c, 0);
            else close_connection(c);
            return;
        }
        c->got += n;
        if (!c->whole) c->whole = length_of(c);
        if (c->whole && c->got >= c->whole) return answered(c, 1);
    }
}

int main(int count, char **words) {
    if (count != 9) { fprintf(stderr, "see load_client.c\n"); return 2; }
    port = atoi(words[1]);
    int connections = atoi(words[2]);
    double seconds = atof(words[3]), rate = atof(words[4]);
    keeps = atoi(words[5]), half_closes = atoi(words[6]);
    beginning = words[7], part = words[8];
    read_questions();
    poll_file = epoll_create1(EPOLL_CLOEXEC);
    struct connection *all = calloc(connections, sizeof *all);
    for (int i = 0; i < connections; i++) all[i].file = -1, all[i].answer = malloc(MOST_ANSWER + 1);
    struct epoll_event events[256];
    double begin = now(), end = begin + seconds, due = begin;
    while (1) {
        double moment = now();
        int busy = 0;
        for (int i = 0; i < connections; i++) {
            if (!all[i].busy && moment < end && (!rate || due <= moment)) {
                ask(&all[i], rate ? due : moment);
                if (rate) due += 1 / rate;
            }
            busy += all[i].busy;
        }
        if (!busy && moment >= end) break;
        if (moment > end + 60) { fprintf(stderr, "answers never came\n"); return 1; }
        double pause = rate && busy < connections && due < moment + .05 ? due - moment : .05;
        struct timespec wait = {0, pause > 0 ? (long)(pause * 1e9) : 0};
        int n = epoll_pwait2(poll_file, events, 256, &wait, 0);
        for (int i = 0; i < n; i++) {
            struct connection *c = events[i].data.ptr;
            if (c->busy && c->sent < c->asked->length && events[i].events & EPOLLOUT) send_more(c);
            if (c->file >= 0 && events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) read_more(c);
        }
    }
    double took = now() - begin;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double cpu = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    printf("%zu %zu %f %f\n", time_count - wrong, wrong, took, cpu);
    for (size_t i = 0; i < time_count; i++) printf("%.0f\n", times[i] * 1e6);
    return 0;
}
