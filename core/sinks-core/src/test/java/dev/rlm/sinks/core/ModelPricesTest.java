package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.event.Usage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Costs of model calls by a file of prices, as sinks get them. */
class ModelPricesTest {
    private static final Usage USAGE = new Usage(1_000L, 200L, 400L, 50L, 100L);

    private final Recorder sink = new Recorder();

    @TempDir
    Path folder;

    private Sinks sinks(String prices) throws IOException {
        Path file = Files.writeString(folder.resolve("prices.csv"), prices);
        return Sinks.builder()
                .config(SinkConfig.of(Map.of("RLM_MODEL_PRICES", file.toString())))
                .only(List.of())
                .add("recorder", sink)
                .build();
    }

    private ModelCalled recorded(String prices, Consumer<ModelCall> told) throws IOException {
        try (Sinks sinks = sinks(prices);
                Run run = sinks.startRun(RunSpec.builder("env").build());
                ModelCall call = run.startModelCall("openai", "gpt")) {
            told.accept(call);
        }
        return sink.only(ModelCalled.class);
    }

    @Test
    void call_thatTellsItsTokens_costsWhatTheyDo() throws IOException {
        ModelCalled call = recorded(
                "model,input,output,cached,cache_creation\n\n gpt , 2.50, 10, 0.25, 3.0\n",
                model -> model.reply("yes").usage(USAGE));

        assertThat(call.costAmount()).isEqualTo((500 * 2.50 + 400 * 0.25 + 100 * 3.0 + 200 * 10) / 1e6);
        assertThat(call.costCurrency()).isEqualTo("USD");
    }

    @ParameterizedTest
    @CsvSource({"gpt-2026", "openai/gpt-2026", "gpt", "openai/gpt"})
    void price_isFoundByTheModelThatAnsweredOrWasAsked(String name) throws IOException {
        ModelCalled call = recorded(
                "model,input,output\nother,5,5\n" + name + ",1,2",
                model -> model.response("r1", "gpt-2026").usage(new Usage(1_000L, 200L, 400L, null)));

        assertThat(call.costAmount()).isEqualTo(0.0014);
    }

    @Test
    void modelThatAnswered_goesBeforeTheOneThatWasAsked() throws IOException {
        ModelCalled call = recorded(
                "model,input,output\ngpt,5,5\ngpt-2026,1,1",
                model -> model.response("r1", "gpt-2026").usage(new Usage(1_000_000L, 0L, null, null)));

        assertThat(call.costAmount()).isEqualTo(1);
    }

    @Test
    void cost_thatTheCallTells_stays() throws IOException {
        ModelCalled call = recorded(
                "model,input,output\ngpt,1,2", model -> model.usage(USAGE).cost(0, "EUR"));

        assertThat(call.costAmount()).isZero();
        assertThat(call.costCurrency()).isEqualTo("EUR");
    }

    @Test
    void withoutPriceOrTokens_thereIsNoCost() throws IOException {
        assertThat(recorded("model,input,output\nother,1,2", model -> model.usage(USAGE))
                        .costAmount())
                .isNull();
    }

    @Test
    void withoutNumberOfTokens_thereIsNoCost() throws IOException {
        assertThat(recorded("model,input,output\ngpt,1,2", model -> model.usage(new Usage(10L, null, null, null)))
                        .costAmount())
                .isNull();
    }

    @Test
    void call_thatIsPublished_isPricedToo() throws IOException {
        ModelCalled told = recorded("model,input,output\nother,1,2", model -> model.usage(USAGE));
        ModelCalled again = ModelCalledBuilder.builder(told).seq(9).build();
        try (Sinks sinks = sinks("model,input,output\ngpt,1,2")) {
            sinks.publish(again);
        }

        assertThat(sink.events(ModelCalled.class))
                .extracting(ModelCalled::seq, ModelCalled::costAmount)
                .contains(tuple(9L, 0.0014));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    ''                                  | line 1: expected the head model,input,output,cached,cache_creation
                    gpt,1,2                             | line 1: expected the head
                    model,input                         | line 1: expected the head
                    model,input,output;gpt,1            | line 2: '' is not a price
                    model,input,output;gpt,1,2;b,1,-2   | line 3: '-2' is not a price: expected US dollars for a million tokens, such as 2.50
                    model,input,output,cached;b,1,2,$3  | line 2: '$3' is not a price
                    """)
    void fileWithoutPrices_isRefusedWithItsLine(String text, String reason) {
        assertThatThrownBy(() -> sinks(Objects.toString(text, "").replace(';', '\n')))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining("RLM_MODEL_PRICES=" + folder.resolve("prices.csv"))
                .hasMessageContaining(reason);
    }

    @Test
    void fileThatIsNotThere_isRefused() {
        String missing = folder.resolve("missing.csv").toString();
        assertThatThrownBy(() -> Sinks.builder()
                        .config(SinkConfig.of(Map.of("RLM_MODEL_PRICES", missing)))
                        .build())
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining("RLM_MODEL_PRICES=" + missing + " cannot be read");
    }
}
