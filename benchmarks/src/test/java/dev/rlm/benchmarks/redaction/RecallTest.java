package dev.rlm.benchmarks.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.benchmarks.figure.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RecallTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(Surrounding.class)
    void secret_standsInItsSurrounding(Surrounding surrounding) {
        SplittableRandom random = new SplittableRandom(1);
        for (PlantedSecret planted : PlantedSecret.all()) {
            List<String> parts = planted.make(random);
            assertThat(surrounding.of(String.join("", parts)))
                    .as(planted.kind())
                    .contains(surrounding.secret(parts.get(0), parts.get(1)));
        }
    }

    @Test
    void marks_areCounted_inStringsOfJsonAndInPlainText() throws IOException {
        String key = Template.fill("<upper:16>", new SplittableRandom(1));
        Path lines =
                Files.writeString(folder.resolve("a.jsonl"), "{\"text\": \"AKI" + "A" + key + "\", \"n\": 1}\n{}\n");
        Path plain = Files.writeString(folder.resolve("a.txt"), "x".repeat(979) + " AKI" + "A" + key);
        Sample sample = FalseMarks.measure(List.of(lines.toString(), plain.toString()));
        assertThat(sample.values())
                .containsEntry(FalseMarks.MEGABYTES, 0.00102)
                .containsEntry("aws-key/MB", 2 * 1e6 / 1020);
    }
}
