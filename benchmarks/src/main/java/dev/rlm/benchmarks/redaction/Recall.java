package dev.rlm.benchmarks.redaction;

import dev.rlm.benchmarks.Texts;
import dev.rlm.benchmarks.figure.Sample;
import dev.rlm.sinks.redaction.Redaction;
import dev.rlm.sinks.redaction.RedactionOptions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Share of planted secrets that are found: every example of {@code forms.txt} in every {@link Surrounding}, amid prose. A
 * secret counts as found if no eight characters of it can be read any more. The same seed makes the same figures.
 */
final class Recall {
    static final String ALL = "share found";
    static final String LOWEST = "lowest share";
    static final String PLANTED = "planted";
    static final String BY_KIND = "kind";
    static final String BY_SURROUNDING = "surrounding";

    private static final int OF_EACH = 10; // an example in a surrounding
    private static final int PROSE = 200;
    private static final int PIECE = 8;
    private static final long SEED = 20_261_123;
    private static final String MARK = "\\[REDACTED:[^\\]]*]";
    private static final List<String> FRAME = List.of("-----", "KEY"); // of a private key

    private final Redaction redaction = new Redaction(RedactionOptions.of(true, Set.of(), List.of()));
    private final Texts texts = new Texts(SEED);
    private final RandomGenerator random = new SplittableRandom(SEED);
    private final Map<String, Count> counts = new TreeMap<>();
    private final Count all = new Count();
    private final boolean byKind;

    private Recall(boolean byKind) {
        this.byKind = byKind;
    }

    /** By {@link #BY_KIND} or {@link #BY_SURROUNDING}. */
    public static void main(String[] args) {
        measure(args[0]).print();
    }

    static Sample measure(String by) {
        Recall recall = new Recall(by.equals(BY_KIND));
        for (PlantedSecret planted : PlantedSecret.all()) {
            for (Surrounding surrounding : Surrounding.values()) {
                for (int i = 0; i < OF_EACH; i++) {
                    recall.plant(planted, surrounding);
                }
            }
        }
        return recall.sample();
    }

    private void plant(PlantedSecret planted, Surrounding surrounding) {
        List<String> parts = planted.make(random);
        String written = surrounding.of(String.join("", parts));
        String secret = surrounding.secret(parts.get(0), parts.get(1));
        String redacted = redaction.text(texts.prose(PROSE) + written + texts.prose(PROSE));
        boolean found = !isReadable(secret, written.replace(secret, ""), redacted);
        all.add(found);
        counts.computeIfAbsent(byKind ? planted.kind() : surrounding.label(), unused -> new Count())
                .add(found);
    }

    /** Returns whether a piece can be read that neither what stands around the secret nor the frame of a key has. */
    private static boolean isReadable(String secret, String around, String redacted) {
        String left = redacted.replaceAll(MARK, "[]");
        for (int i = 0; i + PIECE <= secret.length(); i++) {
            String piece = secret.substring(i, i + PIECE);
            if (left.contains(piece)
                    && !around.contains(piece)
                    && FRAME.stream().noneMatch(piece::contains)) {
                return true;
            }
        }
        return false;
    }

    private Sample sample() {
        Map<String, Double> values = new TreeMap<>();
        counts.forEach((name, count) -> values.put(name, count.share()));
        values.put(
                LOWEST, counts.values().stream().mapToDouble(Count::share).min().orElse(0));
        values.put(ALL, all.share());
        values.put(PLANTED, (double) all.planted);
        return new Sample(values);
    }

    private static final class Count {
        private int planted;
        private int found;

        void add(boolean isFound) {
            planted++;
            found += isFound ? 1 : 0;
        }

        double share() {
            return (double) found / planted;
        }
    }
}
