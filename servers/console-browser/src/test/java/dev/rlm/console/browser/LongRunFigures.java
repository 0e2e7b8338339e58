package dev.rlm.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** What a page of a run of 10,000 steps takes in a browser. Prints times and asserts none: {@code -Drlm.figures=true -Dtest=LongRunFigures}. */
@Timeout(600)
@EnabledIfSystemProperty(named = "rlm.figures", matches = "true")
class LongRunFigures {
    private static final int STEPS = 10_000;
    private static final int ASKED = 20;
    private static final int MANY = 1_000_000; // characters
    private static final String SCROLLED = """
            async () => {
                const frames = []
                await new Promise(done => {
                    let last = performance.now(), count = 0
                    const frame = now => {
                        frames.push(now - last)
                        last = now
                        scrollBy(0, 400)
                        if (++count < 200) requestAnimationFrame(frame)
                        else done()
                    }
                    requestAnimationFrame(frame)
                })
                frames.sort((a, b) => a - b)
                return [frames[100], frames[190]]
            }
            """;

    @Test
    void pages(@TempDir Path journal) throws Exception {
        SplittableRandom random = new SplittableRandom(5);
        record(journal, random);
        try (Site site = new Site(journal);
                Page page = site.open()) {
            for (String view : new String[] {"conversation", "steps"}) {
                double[] times = new double[ASKED];
                for (int i = 0; i < ASKED; i++) {
                    String step = "step-" + (1 + random.nextInt(STEPS));
                    site.go(page, "/runs");
                    long start = System.nanoTime();
                    page.evaluate(
                            "address => { history.pushState(null, '', address); dispatchEvent(new PopStateEvent('popstate')) }",
                            "/runs/long?view=" + view + "#" + step);
                    page.waitForSelector("#" + step);
                    times[i] = (System.nanoTime() - start) / 1e6;
                }
                Arrays.sort(times);
                int shown = page.locator("main .body [id^=step-]").count();
                assertThat(shown).isEqualTo(500);
                say(
                        "%s: any step p50 %.0f ms, p95 %.0f ms, %d steps on the page",
                        view, times[ASKED / 2], times[ASKED - 2], shown);
                say("%s: scrolling, frames p50 and p95 in ms: %s", view, page.evaluate(SCROLLED));
            }
            long start = System.nanoTime();
            page.evaluate(
                    "address => { history.pushState(null, '', address); dispatchEvent(new PopStateEvent('popstate')) }",
                    "/search?q=needle");
            page.waitForSelector("main mark");
            say("find: %.0f ms", (System.nanoTime() - start) / 1e6);
            page.evaluate(
                    "() => { window.longest = 0; new PerformanceObserver(list => list.getEntries().forEach(each => {"
                            + " window.longest = Math.max(window.longest, each.duration) })).observe({type: 'longtask'}) }");
            page.evaluate(
                    "address => { history.pushState(null, '', address); dispatchEvent(new PopStateEvent('popstate')) }",
                    "/runs/large?view=steps");
            page.waitForSelector("main .step");
            page.waitForTimeout(1_000);
            say(
                    "a text of a million characters: the page is blocked for %s ms at most",
                    page.evaluate("() => window.longest"));
            page.context().close();
        }
    }

    private static void record(Path journal, SplittableRandom random) throws Exception {
        try (Sinks sinks = Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(journal).build())
                .build()) {
            try (Run run = sinks.startRun(RunSpec.builder("maze").runId("long").build())) {
                for (int number = 1; number <= STEPS; number++) {
                    try (Step step = run.startStep("you are at " + random.nextInt(1000) + ", the exit is not here")) {
                        step.action("go", "go(" + random.nextInt(4) + ")  # " + Long.toString(random.nextLong(), 36));
                        step.reward(random.nextInt(3) - 1);
                        step.complete(number == STEPS / 2 ? "a needle" : "moved to " + random.nextInt(1000));
                    }
                }
                run.complete("out");
            }
            try (Run run = sinks.startRun(RunSpec.builder("maze").runId("large").build());
                    Step step = run.startStep("much")) {
                StringBuilder text = new StringBuilder();
                while (text.length() < MANY) {
                    text.append(Long.toString(random.nextLong(), 36)).append(random.nextInt(9) == 0 ? '\n' : ' ');
                }
                step.complete(text.toString());
                run.complete("");
            }
            sinks.flush(Duration.ofSeconds(60));
        }
    }

    private static void say(String format, Object... figures) {
        System.out.println(String.format(Locale.ROOT, format, figures));
    }
}
