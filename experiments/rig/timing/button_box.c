/* A button box on an X display: real key and button events at planned times (XTest).
 *
 *     button_box      (the display is the environment's DISPLAY)
 *
 * Prints "ready", then obeys its input line by line, in the order in which lines come:
 *
 *     AT_NS KIND NAME
 *
 * At CLOCK_MONOTONIC time AT_NS (or at once if that is past): KIND k presses and K releases the
 * key with X's name NAME, b presses and B releases the mouse's button number NAME. For each it
 * prints
 *
 *     BEFORE_NS AFTER_NS KIND NAME
 *
 * the clock just before the request was written to the server's socket, and just after. Ends at
 * the end of its input, or when its parent does.
 *
 * The X libraries are opened when it runs, so that building it takes no headers of theirs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "realtime.h"

typedef struct _XDisplay Display;

static struct {
    Display *(*open)(const char *);
    unsigned long (*symbol)(const char *);
    unsigned char (*code)(Display *, unsigned long);
    int (*flush)(Display *);
    int (*sync)(Display *, int);
    int (*has_xtest)(Display *, int *, int *, int *, int *);
    int (*key)(Display *, unsigned int, int, unsigned long);
    int (*button)(Display *, unsigned int, int, unsigned long);
} x;

static int find(void *library, const char *name, void *place)
{
    /* A pointer to data may be turned into one to a function in this way only. */
    *(void **)place = library ? dlsym(library, name) : NULL;
    return *(void **)place != NULL;
}

static int open_libraries(void)
{
    void *x11 = dlopen("libX11.so.6", RTLD_NOW), *xtst = dlopen("libXtst.so.6", RTLD_NOW);

    return find(x11, "XOpenDisplay", &x.open) && find(x11, "XStringToKeysym", &x.symbol) &&
           find(x11, "XKeysymToKeycode", &x.code) && find(x11, "XFlush", &x.flush) &&
           find(x11, "XSync", &x.sync) && find(xtst, "XTestQueryExtension", &x.has_xtest) &&
           find(xtst, "XTestFakeKeyEvent", &x.key) &&
           find(xtst, "XTestFakeButtonEvent", &x.button);
}

static Display *open_display(void)
{
    int ignored;
    Display *display = x.open(NULL);

    return display && x.has_xtest(display, &ignored, &ignored, &ignored, &ignored) ? display : NULL;
}

static int fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    return 2;
}

static unsigned int number_of(Display *display, char kind, const char *name)
{
    if (kind == 'b' || kind == 'B')
        return (unsigned int)strtoul(name, NULL, 10);
    return x.code(display, x.symbol(name));
}

int main(void)
{
    int64_t at_ns;
    char kind, name[32];

    if (!open_libraries())
        return fail("libX11.so.6 or libXtst.so.6 is missing");
    Display *display = open_display();
    if (!display)
        return fail("the display doesn't answer, or has no XTest");
    end_with_parent();
    (void)go_realtime(OBSERVER_LEVEL);
    dprintf(STDOUT_FILENO, "ready\n");
    while (scanf("%" SCNd64 " %c %31s", &at_ns, &kind, name) == 3) {
        int down = kind == 'k' || kind == 'b';
        unsigned int number = number_of(display, kind, name);
        if (number == 0)
            return fail("a key or button of that name is not known");
        sleep_until_ns(at_ns);
        if (kind == 'k' || kind == 'K')
            x.key(display, number, down, 0);
        else
            x.button(display, number, down, 0);
        int64_t before_ns = monotonic_ns();
        x.flush(display);
        int64_t after_ns = monotonic_ns();
        dprintf(STDOUT_FILENO, "%" PRId64 " %" PRId64 " %c %s\n", before_ns, after_ns, kind, name);
    }
    /* What leaves before the server has read its last words may not be heard. */
    x.sync(display, 0);
    return 0;
}
