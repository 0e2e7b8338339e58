// 1 2: dev.rlm:tracing-langchain4j dev.rlm:sink-jsonl dev.langchain4j:langchain4j:${version.langchain4j} dev.langchain4j:langchain4j-agentic:${version.langchain4j-agentic} dev.langchain4j:langchain4j-open-ai:${version.langchain4j}
import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.agentic.AgenticServices;
import dev.langchain4j.agentic.UntypedAgent;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.service.AiServices;
import dev.rlm.langchain4j.RecordedAgents;
import dev.rlm.sinks.traced.AgentRuns;

class Page {
    ChatModel model;
    Object writer, editor;

    interface Assistant {
        String answer(String question);
    }

    static class Arithmetic {
        @Tool
        int add(int a, int b) {
            return a + b;
        }
    }
}
