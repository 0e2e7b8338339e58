package dev.rlm.runner.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.sinks.event.Event;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BadInputTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "rn | unknown command 'rn' (did you mean run?): known are run, serve, worker, rescore, jobs,",
                "-x | unknown option '-x'",
                "run --limt 3 | unknown option '--limt': did you mean --limit?",
                "run once twice | unexpected argument 'twice'",
                "run --env chess | unknown environment 'chess': known are calc",
                "run --policy human | unknown policy 'human': known are scripted, recorded",
                "run --model gpt | unknown model 'gpt': known are scripted",
                "run --sample-id x | unknown sample 'x': known are calc-1-1, calc-1-2,",
                "run --engine chess | unknown engine 'chess': known are embedded",
                "run --engine spark | --engine spark is not on the class path: start it by ./rlm, which fetches Spark",
                "run --master local[2] | --master is for another --engine than embedded",
                "run --conf a=b | --conf is for another --engine than embedded",
                "run --sink teapot | unknown sink 'teapot': known are",
                "run --samples 0 | --samples=0 is not valid: expected a whole number from 1 to",
                "run --samples 5000 --rollouts 5000 | --samples times --rollouts=25000000 is not valid",
                "run --samples many | '--samples': 'many' is not an int",
                "run --limit 0 | --limit=0 is not valid",
                "run --rollouts 0 | --rollouts=0 is not valid",
                "run --max-steps 0 | --max-steps=0 is not valid",
                "run --concurrency 0 | --concurrency=0 is not valid",
                "run --error-rate 1.5 | --error-rate=1.5 is not valid: expected a number from 0 to 1",
                "run --error-rate NaN | --error-rate=NaN is not valid",
                "run --pass-reward NaN | --pass-reward=NaN is not valid: expected a finite number",
                "run --pass-on first | expected one of [LAST, TOTAL]",
                "run --latency 4 | '4' is not a duration such as 200ms",
                "run --latency 999h | '999h' is not a duration",
                "run --timeout 0s | --timeout=0 is not valid",
                "run --step-timeout 0s | --step-timeout=0 is not valid",
                "run --base-url http://localhost:1/v1 | --base-url is for --policy openai",
                "run --exec-memory 64 | --exec-memory is for --env python",
                "run --policy openai --error-rate 0.1 | --error-rate is for --policy scripted",
                "run --mcp-env NO_SUCH | --mcp-env NO_SUCH: there is no such variable here",
                "run --tool-timeout 0s | --tool-timeout=0 is not valid",
                "run --mcp /no/such | the MCP server 'such' cannot be used:",
                "run --tag =v | --tag=v has no name: expected KEY=VALUE",
                "run --journal= | --journal is empty: expected a folder",
                "run --dataset= | --dataset is empty: expected a file",
                "run --tag k | should be in KEY=VALUE format but was k",
                "run --policy recorded | --policy recorded needs a --dataset",
                "run --dataset /none.jsonl | there is no data set /none.jsonl",
                "run --dataset /none.jsonl --samples 3 | with --dataset use --limit",
                "import --pass-reward NaN x | --pass-reward=NaN is not valid: expected a finite number",
                "export --format chat | Missing required option: '--output=PATH'",
                "run --remote nowhere --model m | --remote is not valid: expected an address",
                "run --remote http://127.0.0.1:1 | --remote needs a --model",
                "run --remote http://127.0.0.1:1 --model m | --remote cannot be reached",
                "run --policy remote | --policy remote needs a --remote URL",
                "run --gateway http://localhost:4000 | --gateway is for --policy remote",
                "sinks --all | unknown option '--all'",
            })
    void command_thatCannotBeCarriedOut_isRefusedInOneLine(String arguments, String message) {
        assertRefused(Cli.with(Map.of("RLM_JSONL_ENABLED", "false"), arguments.split(" ")), message);
    }

    @ParameterizedTest
    @CsvSource({"RLM_OBS_ENABLED,maybe,true or false", "RLM_PLUGINS,/none,a readable folder"})
    void variable_withABadValue_isNamed(String variable, String value, String expected) {
        assertRefused(
                Cli.with(Map.of(variable, value), "run"),
                variable + "=" + value + " is not valid: expected " + expected);
    }

    @Test
    void command_withoutAVerb_isRefused() {
        assertRefused(Cli.with(Map.of()), "a command is needed");
    }

    @Test
    void badLine_endsTheCommandUnlessItIsToBePassedOver(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("data.jsonl");
        Files.writeString(file, "{\"question\": \"?\", \"answer\": \"#### 3\"}\nnonsense\n");

        assertRefused(Cli.run("run", "--dataset", file.toString()), file + ", line 2: expected a JSON object with");

        Cli run = Cli.run("run", "--dataset", file.toString(), "--skip-bad-lines", "--json");
        assertThat(run.exitCode()).isZero();
        assertThat(run.err())
                .startsWith("warning: passed over bad lines: 1; the first: " + file + ", line 2: expected");
        assertThat(run.out()).startsWith("{\"runs\":1,").contains("\"bad_lines\":1");
    }

    private static void assertRefused(Cli command, String message) {
        assertThat(command.err().lines())
                .singleElement()
                .asString()
                .startsWith("rlm: ")
                .contains(message);
        assertThat(command.exitCode()).isEqualTo(2);
        assertThat(command.out()).isEmpty();
        assertThat(KeptSinkProvider.events(Event.class)).isEmpty();
    }
}
