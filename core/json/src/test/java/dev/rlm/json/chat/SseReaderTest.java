package dev.rlm.json.chat;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SseReaderTest {
    private final List<String> events = new ArrayList<>();
    private final SseReader reader = new SseReader(events::add);

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r", "\r\n"})
    void events_areReadByAnyEndOfLines_howeverTheirBytesCome(String end) {
        String stream =
                String.join(end, "event: x", "data: a", "data:b", "", ": a comment", "id: 1", "data: é", "", "");
        byte[] bytes = stream.getBytes(StandardCharsets.UTF_8);
        reader.add(bytes, 0, bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            reader.add(bytes, i, 1);
        }

        assertThat(events).containsExactly("a\nb", "é", "a\nb", "é");
    }

    @Test
    void end_handsOnWhatHasNoEmptyLineBehindIt() {
        byte[] bytes = "data: a\n\ndata: b".getBytes(StandardCharsets.UTF_8);
        reader.add(bytes, 0, bytes.length);
        assertThat(events).containsExactly("a");
        reader.end();
        assertThat(events).containsExactly("a", "b");
    }
}
