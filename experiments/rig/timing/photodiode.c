/* A photodiode on a virtual screen.
 *
 *     photodiode FRAMEBUFFER [NAP_US]
 *
 * FRAMEBUFFER is the file in which an X server mirrors its pixels (Xvfb -fbdir), in the format
 * of X window dumps (XWDFile.h): a header of big-endian 32-bit words, then ncolors entries of
 * 12 bytes, then the pixels. Looks at the middle of the 64 x 64 pixels in the top left corner,
 * sleeps NAP_US microseconds (50 without), looks again. Prints "watching WIDTH HEIGHT", then a
 * line for each change:
 *
 *     TIME_NS GAP_NS LEVEL
 *
 * the time of the look that found it (CLOCK_MONOTONIC), how long before that the last look was,
 * and 1 for light, 0 for dark. Ends when its parent does, or at SIGTERM.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "realtime.h"

enum {
    HEADER_SIZE = 0,
    PIXMAP_WIDTH = 4,
    PIXMAP_HEIGHT = 5,
    BITS_PER_PIXEL = 11,
    BYTES_PER_LINE = 12,
    NCOLORS = 19,
    HEADER_WORDS = 25
};
enum { COLOR_BYTES = 12, PIXEL_BYTES = 4, GREEN = 1, MIDDLE_PX = 32, LIGHT = 128 };

static const unsigned char *map_file(const char *path, size_t *size)
{
    struct stat about;
    int file = open(path, O_RDONLY);

    if (file < 0 || fstat(file, &about) < 0)
        return NULL;
    *size = (size_t)about.st_size;
    void *start = mmap(NULL, *size, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    return start == MAP_FAILED ? NULL : start;
}

static uint32_t word(const unsigned char *dump, int number)
{
    return ntohl(((const uint32_t *)dump)[number]);
}

/* The watched pixel, or NULL where the dump is none of ours. */
static const volatile unsigned char *watched(const unsigned char *dump, size_t size)
{
    if (size < HEADER_WORDS * sizeof(uint32_t) || word(dump, BITS_PER_PIXEL) != 32)
        return NULL;
    size_t at = word(dump, HEADER_SIZE) + (size_t)word(dump, NCOLORS) * COLOR_BYTES +
                (size_t)MIDDLE_PX * word(dump, BYTES_PER_LINE) + MIDDLE_PX * PIXEL_BYTES;
    return at + PIXEL_BYTES <= size ? dump + at : NULL;
}

int main(int count, char **words)
{
    size_t size = 0;
    const unsigned char *dump = count > 1 ? map_file(words[1], &size) : NULL;
    const volatile unsigned char *pixel = dump ? watched(dump, size) : NULL;
    long nap_us = count > 2 ? strtol(words[2], NULL, 10) : 50;

    if (!pixel) {
        fprintf(stderr, "no 32-bit X window dump: %s\n", count > 1 ? words[1] : "(none named)");
        return 2;
    }
    end_with_parent();
    (void)go_realtime(OBSERVER_LEVEL);
    dprintf(STDOUT_FILENO, "watching %u %u\n", word(dump, PIXMAP_WIDTH),
            word(dump, PIXMAP_HEIGHT));
    int level = pixel[GREEN] >= LIGHT;
    int64_t last_ns = monotonic_ns();
    for (;;) {
        int seen = pixel[GREEN] >= LIGHT;
        int64_t now_ns = monotonic_ns();
        if (seen != level) {
            level = seen;
            if (dprintf(STDOUT_FILENO, "%lld %lld %d\n", (long long)now_ns,
                        (long long)(now_ns - last_ns), level) < 0)
                return 1;
        }
        last_ns = now_ns;
        sleep_until_ns(now_ns + nap_us * 1000);
    }
}
