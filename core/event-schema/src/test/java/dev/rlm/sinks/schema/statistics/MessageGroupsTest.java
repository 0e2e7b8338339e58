package dev.rlm.sinks.schema.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.schema.statistics.MessageGroups.Count;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages that are one, and how they are shown. */
class MessageGroupsTest {
    private final MessageGroups groups = new MessageGroups();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "step 3 took longer than 30.0 s | step 12 took longer than 30.0 s | step … took longer than 30.0 s",
                "no column 'a b' in x | no column 'c' in x | no column … in x",
                "Foo@1f3a2b closed | Foo@77e0aa closed | Foo… closed",
                "at 0x7fff10 | at 0x7fff22 | at …",
                "run 7f9c1c9e-7bd4-4c53-8f0e-0d9e6a7a1b11 died | run 11111111-7bd4-4c53-8f0e-0d9e6a7a1b22 died | run … died",
                "lost req_8fk2l0qpz31x | lost req_1aaaaaapz31x | lost …",
                "to 127.0.0.1:4001: no | to 127.0.0.1:4002: no | to 127.0.0.1:…: no",
                "a 'b | a 'c | a …",
            })
    void messages_thatDifferInWhatVaries_areOne(String one, String other, String shown) {
        groups.add(one);
        groups.add(other);

        assertThat(groups.counts()).containsExactly(new Count(shown, 2));
    }

    @ParameterizedTest
    @CsvSource({
        "status 401: no,status 503: no",
        "exit code 1,exit code 137",
        "it can't be read,it won't be read",
        "connection refused,connection reset",
    })
    void messages_thatTellOfDifferentCauses_areTwo(String one, String other) {
        groups.add(one);
        groups.add(other);
        groups.add(other);

        assertThat(groups.counts()).containsExactly(new Count(other, 2), new Count(one, 1));
    }

    @Test
    void message_thatIsTheSameEachTime_isShownAsItIs() {
        groups.add("POST http://127.0.0.1:9/v1:  cannot\n connect");
        groups.add("POST http://127.0.0.1:9/v1: cannot connect");

        assertThat(groups.lines(3)).containsExactly("2 × POST http://127.0.0.1:9/v1: cannot connect");
    }

    @Test
    void longMessage_isCutBetweenCharacters() {
        groups.add("😀".repeat(1_000));

        assertThat(groups.counts()).containsExactly(new Count("😀".repeat(200) + "…", 1));
    }

    @Test
    void kinds_areBounded_andNoneIsLost() {
        for (char first = 'a'; first <= 'z'; first++) {
            for (char second = 'a'; second <= 'z'; second++) {
                groups.add("cause " + first + second);
            }
        }
        groups.add("cause aa");

        List<Count> counts = groups.counts();
        assertThat(counts)
                .hasSize(101)
                .startsWith(new Count("cause aa", 2))
                .endsWith(new Count("(other messages)", 576));
        assertThat(counts.stream().mapToLong(Count::messages).sum())
                .isEqualTo(groups.total())
                .isEqualTo(677);
        assertThat(groups.lines(2)).containsExactly("2 × cause aa", "1 × cause ab", "and 674 more, of 99 other kinds");
    }

    @Test
    void messageThatSaysNothing_isCountedToo() {
        groups.add(" \n");

        assertThat(groups.lines(1)).containsExactly("1 × (no message)");
    }
}
