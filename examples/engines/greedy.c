/* A small engine in C: takes the most points now. Needs nothing but a C compiler.
 *
 *     cc -o greedy greedy.c
 *     foxtray bots add mine -- ./greedy
 *
 * It reads messages without a JSON library: Foxtray writes no spaces, and actions have no quotes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[1 << 20], best[64];

/* Keep the action that gains most; the first of several. */
static void read_position(void)
{
    const char *action = strstr(line, "\"legal\":["), *gain = strstr(line, "\"gains\":[");
    long most = 0;
    if (!action || !gain)
        return;
    best[0] = '\0';
    action += strlen("\"legal\":[");
    gain += strlen("\"gains\":[");
    while (*action == '"') {
        size_t length = strcspn(++action, "\"");
        char *end;
        long gained = strtol(gain, &end, 10);
        if ((!best[0] || gained > most) && length < sizeof best) {
            memcpy(best, action, length);
            best[length] = '\0';
            most = gained;
        }
        action += length + 1;
        action += *action == ',';
        gain = end + (*end == ',');
    }
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        const char *id = strstr(line, "\"id\":");
        if (strstr(line, "\"type\":\"hello\""))
            puts("{\"type\":\"hello\",\"protocol\":1,\"name\":\"Greedy in C\",\"wants\":[\"gains\"]}");
        else if (strstr(line, "\"type\":\"position\""))
            read_position();
        else if (strstr(line, "\"type\":\"go\"") && id)
            printf("{\"type\":\"bestaction\",\"id\":%ld,\"action\":\"%s\"}\n", atol(id + 5), best);
        else if (strstr(line, "\"type\":\"quit\""))
            break;
    }
    return 0;
}
