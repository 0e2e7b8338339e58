// 1: dev.rlm:agent-junit dev.rlm:sink-jsonl org.junit.jupiter:junit-jupiter:${version.junit}
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.rlm.junit.RecordedTest;
import dev.rlm.sinks.Run;
import java.util.List;

class Page {
    static final String ARTICLE = "A long article.";
    final Agent agent = new Agent();

    static class Agent {
        String answer(String question) {
            return "48";
        }

        String summarize(String article) {
            return "Short.";
        }
    }
}
