package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.ModelCalled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Conversations that a caller hands over whole with each call. */
@Timeout(120)
class ToldTextsTest {
    private static final String SECRET = "sk-proj-Q7fP2mXz9LkR4tVb8NcW1yHs5JdG3aEu";
    private static final int LENGTH = 1 << 19; // two bytes a character: 64 such fill a queue

    @Test
    void textThatComesWithEachCall_takesTheQueuesRoomOnce_andIsRedactedInAll() {
        GatedSink hanging = new GatedSink(false);
        int calls = 100;
        try (Sinks sinks =
                Sinks.builder().add("hanging", hanging).heartbeat(Duration.ZERO).build()) {
            List<String> said = new ArrayList<>();
            try (Run run = sinks.startRun(RunSpec.builder("env").build())) {
                hanging.awaitEntered();
                said.add("x ".repeat(LENGTH / 2) + SECRET);
                for (int i = 0; i < calls; i++) {
                    try (ModelCall call = run.startModelCall("openai", "m")) {
                        said.forEach(text -> call.message("user", text));
                        call.reply("reply " + i);
                    }
                    said.add("what is new ".repeat(40) + i);
                }
                run.complete("");
            }
            hanging.open();
            assertThat(sinks.flush(Duration.ofSeconds(60)).isComplete()).isTrue();
            assertThat(sinks.statuses().get(0).ledger().dropped()).isEmpty();
        }
        List<ModelCalled> recorded = hanging.events(ModelCalled.class);
        assertThat(recorded).hasSize(calls);
        ModelCalled last = recorded.get(calls - 1);
        assertThat(last.messages()).hasSize(calls);
        assertThat(last.messages().get(0).content().text())
                .contains("[REDACTED:")
                .doesNotContain(SECRET)
                .isSameAs(recorded.get(0).messages().get(0).content().text());
        assertThat(last.messages().get(calls - 1).content().text()).endsWith(" " + (calls - 2));
    }
}
