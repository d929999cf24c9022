// Reads every file of a folder and writes a file of some size for each, under a temporary name, which is then changed:
// what a program of many problems does beside planning.
//
//	files FROM TO BYTES
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char buffer[1 << 20];

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void check(int fine, const char *what) {
    if (!fine) {
        perror(what);
        exit(1);
    }
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    size_t bytes = strtoul(argv[3], NULL, 10), count = 0, room = 0;
    char **names = NULL, path[4096], temporary[4096];
    DIR *folder = opendir(argv[1]);
    check(folder != NULL && bytes <= sizeof buffer, argv[1]);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        if (count == room) {
            room = 2 * room + 16;
            names = realloc(names, room * sizeof *names);
            check(names != NULL, "realloc");
        }
        check((names[count++] = strdup(entry->d_name)) != NULL, "strdup");
    }
    closedir(folder);
    qsort(names, count, sizeof *names, by_name);
    size_t all = 0;
    for (size_t k = 0; k < count; k++) {
        snprintf(path, sizeof path, "%s/%s", argv[1], names[k]);
        int from = open(path, O_RDONLY | O_CLOEXEC);
        check(from >= 0, path);
        for (ssize_t n; (n = read(from, buffer, sizeof buffer)) != 0;) {
            check(n > 0, path);
            all += (size_t)n;
        }
        close(from);
        snprintf(path, sizeof path, "%s/%s", argv[2], names[k]);
        snprintf(temporary, sizeof temporary, "%s/.%zu.tmp", argv[2], k);
        int to = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        check(to >= 0 && write(to, buffer, bytes) == (ssize_t)bytes && close(to) == 0, temporary);
        check(rename(temporary, path) == 0, path);
    }
    printf("%zu files, %zu bytes\n", count, all);
    return 0;
}
