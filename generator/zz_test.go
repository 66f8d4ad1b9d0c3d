package generator
import ("testing";"os";"strings";"github.com/schemagen/schemagen/inputs")
func BenchmarkZZ(b *testing.B){
  dir:=os.Getenv("ZZDIR"); pats:=strings.Fields(os.Getenv("ZZPAT"))
  b.ReportAllocs()
  for b.Loop(){
    o:=Options{Dir:dir,Patterns:pats,SkipVerify:true,ToolVersion:"x",Inputs: inputs.New()}
    files,list,err:=Generate(b.Context(),o); if err!=nil||len(files)==0{b.Fatal(err,list)}
  }
}
