package dev.rlm.sinks.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FormTest {
    static Stream<Form> forms() {
        return Form.all().stream();
    }

    @ParameterizedTest
    @MethodSource("forms")
    void examplesOfAForm_areFound_andThoseAgainstItAreLeftAlone(Form form) {
        List<String> examples = new ArrayList<>(form.values("find"));
        examples.addAll(form.values("plain"));
        assertThat(examples).as("examples").isNotEmpty();
        Redaction redaction = Redactions.plain();
        Random random = new Random(5);
        for (String example : examples) {
            Planted planted = Planted.of(form.kind(), example, random);
            assertThat(redaction.text("x " + planted.inContext() + " y"))
                    .matches("(?s)x .*\\[REDACTED:" + form.kind() + ":[0-9a-f]{8}].* y")
                    .doesNotContain(planted.secret());
        }
        for (String example : form.values("leave")) {
            assertThat(redaction.text(example)).isEqualTo(example);
        }
    }

    @Test
    void everyKind_isInTheDocument() throws IOException {
        String document = Files.readString(Path.of("..", "..", "docs", "redaction.md"));
        assertThat(Finders.rules(Set.of(PersonalData.values())))
                .extracting(Rule::kind)
                .allSatisfy(kind -> assertThat(document).contains("`" + kind + "`"));
    }
}
