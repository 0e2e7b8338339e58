package dev.rlm.cli.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.PluginFolder;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.testkit.fault.HostileSinkProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plug-ins that give no sink: the program starts without it, and says why. */
@Tag("thorough")
@Timeout(120)
class ProviderFaultTest {
    @TempDir
    private Path folder;

    @Test
    void provider_thatIsNotThere_isSaidSo() throws IOException {
        startsWithout("?", "com.example.Missing", PluginFolder.naming(folder, "com.example.Missing"), Map.of());
    }

    @Test
    void provider_thatCannotBeInitialised_isSaidSo() throws IOException {
        String broken = BrokenProvider.class.getName();
        startsWithout("?", broken, PluginFolder.naming(folder, broken), Map.of());
    }

    @ParameterizedTest
    @CsvSource({
        "throw, hostile",
        "unspeakable, UnspeakableException",
        "out_of_memory, OutOfMemoryError",
        "stack_overflow, StackOverflowError",
        "missing_class, com/example/Missing",
        "hang, ''",
    })
    void provider_whoseCreationFails_isSaidSo(String fault, String words) throws IOException {
        String plugins = PluginFolder.naming(folder, HostileSinkProvider.class.getName());
        startsWithout(
                House.HOSTILE,
                words,
                plugins,
                Map.of("RLM_HOSTILE_ENABLED", "true", "RLM_HOSTILE_FAULT", fault, "RLM_HOSTILE_IN", "create"));
    }

    private void startsWithout(String sink, String words, String plugins, Map<String, String> variables)
            throws IOException {
        Map<String, String> all = new HashMap<>(variables);
        all.put("RLM_PLUGINS", plugins);
        try (House house = House.with(folder, all)) {
            SinkStatus status = house.status(sink);
            assertThat(status.available()).isFalse();
            assertThat(status.detail()).contains(words).doesNotContain("\n");
            assertThat(house.flush())
                    .as("complete, unless a sink that was chosen is missing")
                    .isEqualTo(!status.enabled());
            house.work();
            house.shut();

            house.isCompleteElsewhere();
            assertThat(house.ledger(sink).offered()).isZero();
        }
    }

    /** One whose class cannot even be made ready. */
    public static final class BrokenProvider extends RefusingProvider {
        private static final int VALUE = Integer.parseInt("no number");

        @Override
        public String name() {
            return "broken-" + VALUE;
        }
    }
}
