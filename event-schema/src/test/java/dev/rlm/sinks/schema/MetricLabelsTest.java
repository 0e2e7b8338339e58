package dev.rlm.sinks.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class MetricLabelsTest {
    private static final Pattern NAME = Pattern.compile("`([^`]+)`");

    @Test
    void usualLabels_areThoseOfTheDocumentation() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "report.md"));
        String table = page.substring(page.indexOf("| label | names |"));
        Map<String, String> documented = new TreeMap<>();
        table.substring(0, table.indexOf("\n\n")).lines().skip(2).forEach(row -> {
            String[] cells = row.split("\\|", -1);
            NAME.matcher(cells[2]).results().forEach(name -> documented.put(name.group(1), cells[1].strip()));
        });

        assertThat(documented).isEqualTo(new TreeMap<>(UsualMetricLabels.BY_NAME));
    }

    @Test
    void label_thatIsSaid_countsBeforeTheUsualOne() {
        MetricLabels labels = new MetricLabels(Map.of("kl", "KL"));
        assertThat(labels.label("kl")).hasValue("KL");
        assertThat(labels.label("global_grad_norm")).hasValue("Gradient norm");
        assertThat(labels.label("mine")).isEmpty();
    }
}
