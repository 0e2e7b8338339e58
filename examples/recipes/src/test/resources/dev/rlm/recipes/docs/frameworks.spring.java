// 3: dev.rlm:tracing-spring-ai dev.rlm:sink-jsonl org.springframework.ai:spring-ai-starter-model-openai:${version.spring-ai} org.springframework.boot:spring-boot-dependencies:pom:${version.spring-boot}
import dev.rlm.spring.RecordedRun;

class Page {
}
