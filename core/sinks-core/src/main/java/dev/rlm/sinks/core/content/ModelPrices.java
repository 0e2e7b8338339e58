package dev.rlm.sinks.core.content;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.event.Usage;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Prices of models' tokens, from a file of comma-separated values. By them calls get a cost that tell their tokens and none.
 *
 * @param byModel by the model's name as the reply or the request tells it, or with the provider's before it and a slash
 */
public record ModelPrices(Map<String, Price> byModel) {
    private static final String FILE = "RLM_MODEL_PRICES";
    private static final List<String> COLUMNS = List.of("model", "input", "output", "cached", "cache_creation");
    private static final int LEAST = 3; // columns
    private static final String CURRENCY = "USD";

    /**
     * Returns those that a configuration names; none where it names none.
     *
     * @throws SinkConfigException if the file cannot be read, or does not hold prices
     */
    public static ModelPrices of(@Nullable SinkConfig config) {
        Optional<Path> file =
                config == null ? Optional.empty() : config.shared().path(FILE);
        return new ModelPrices(file.isEmpty() ? Map.of() : read(file.get()));
    }

    private static Map<String, Price> read(Path file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            throw new SinkConfigException(FILE + "=" + file + " cannot be read: " + ErrorText.reason(e), e);
        }
        List<String> head = lines.isEmpty() ? List.of() : cells(lines.get(0));
        if (head.size() < LEAST || Collections.indexOfSubList(COLUMNS, head) != 0) {
            throw wrong(file, 1, "expected the head " + String.join(",", COLUMNS));
        }
        Map<String, Price> byModel = new HashMap<>();
        for (int i = 1; i < lines.size(); i++) {
            if (!lines.get(i).isBlank()) {
                List<String> cells = cells(lines.get(i));
                byModel.put(cells.get(0), price(cells, file, i + 1));
            }
        }
        return Map.copyOf(byModel);
    }

    private static List<String> cells(String line) {
        return Stream.of(line.split(",", -1)).map(String::strip).toList();
    }

    private static Price price(List<String> cells, Path file, int line) {
        BigDecimal[] prices = new BigDecimal[4];
        for (int i = 0; i < prices.length; i++) {
            String cell = i + 1 < cells.size() ? cells.get(i + 1) : "";
            boolean isCache = i + 1 >= LEAST;
            try {
                prices[i] = isCache && cell.isEmpty() ? prices[0] : new BigDecimal(cell);
            } catch (NumberFormatException e) {
                prices[i] = BigDecimal.ONE.negate();
            }
            if (prices[i].signum() < 0) {
                throw wrong(
                        file,
                        line,
                        "'" + cell + "' is not a price: expected US dollars for a million tokens, such as 2.50");
            }
        }
        return new Price(prices[0], prices[1], prices[2], prices[3]);
    }

    private static SinkConfigException wrong(Path file, int line, String what) {
        return new SinkConfigException(FILE + "=" + file + " is not valid in line " + line + ": " + what);
    }

    /** Returns the call with its cost; the same one where it tells that, or where price or tokens are not known. */
    public ModelCalled priced(ModelCalled call) {
        Double cost = byModel.isEmpty() || call.costAmount() != null ? null : cost(call);
        return cost == null
                ? call
                : ModelCalledBuilder.builder(call)
                        .costAmount(cost)
                        .costCurrency(CURRENCY)
                        .build();
    }

    private @Nullable Double cost(ModelCalled call) {
        return Stream.of(call.responseModel(), call.model())
                .filter(Objects::nonNull)
                .flatMap(model -> Stream.of(model, call.provider() + "/" + model))
                .map(byModel::get)
                .filter(Objects::nonNull)
                .findFirst()
                .map(price -> price.of(call.usage()))
                .orElse(null);
    }

    /**
     * Prices of a million tokens in US dollars.
     *
     * @param input of those that were neither read from a cache nor written to one
     */
    record Price(BigDecimal input, BigDecimal output, BigDecimal cached, BigDecimal cacheCreation) {
        private static final int MILLION = 6; // digits

        /** Returns what these tokens cost; {@code null} where their number is not known. */
        @Nullable
        public Double of(Usage usage) {
            Long in = usage.inputTokens();
            Long out = usage.outputTokens();
            if (in == null || out == null) {
                return null;
            }
            long read = Objects.requireNonNullElse(usage.cachedTokens(), 0L);
            long written = Objects.requireNonNullElse(usage.cacheCreationTokens(), 0L);
            return Stream.of(
                            input.multiply(BigDecimal.valueOf(Math.max(0, in - read - written))),
                            cached.multiply(BigDecimal.valueOf(read)),
                            cacheCreation.multiply(BigDecimal.valueOf(written)),
                            output.multiply(BigDecimal.valueOf(out)))
                    .reduce(BigDecimal.ZERO, BigDecimal::add)
                    .movePointLeft(MILLION)
                    .doubleValue();
        }
    }
}
